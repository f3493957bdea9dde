internal import CDepotLinux
internal import Glibc

/// The signals of a terminal, read from a descriptor (signalfd(2)).
package final class TerminalSignals: Sendable {
  /// An action of the user.
  package enum Event: Hashable, Sendable {
    /// The user interrupted the program, as with Ctrl-C.
    case interrupt
    /// The window changed its size.
    case resize
  }

  package let descriptor: Descriptor

  /// Blocks SIGINT and SIGWINCH in the calling thread while this object exists.
  ///
  /// - Throws: ``SystemError`` if there are no more descriptors.
  package init() throws(SystemError) {
    descriptor = try Descriptor.signals([SIGINT, SIGWINCH])
  }

  deinit {
    var set = Descriptor.signalSet([SIGINT, SIGWINCH])
    pthread_sigmask(SIG_UNBLOCK, &set, nil)
  }

  /// Reads the next event, or `nil` if there is none.
  package func next() -> Event? {
    descriptor.nextSignal().map { $0 == SIGINT ? .interrupt : .resize }
  }
}
