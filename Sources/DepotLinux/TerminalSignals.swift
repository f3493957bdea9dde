internal import CDepotLinux
internal import Glibc

/// The signals of a terminal to the program in front of it, as something to read (signalfd(2)).
package final class TerminalSignals: Sendable {
  /// An action of the user.
  package enum Event: Hashable, Sendable {
    /// Interrupted the program, as with Ctrl-C.
    case interrupt
    /// Made the window larger or smaller.
    case resize
  }

  package let descriptor: Descriptor

  /// Blocks SIGINT and SIGWINCH in the calling thread for as long as this is there.
  ///
  /// - Throws: ``SystemError`` if there are no more descriptors.
  package init() throws(SystemError) {
    descriptor = try Descriptor.signals([SIGINT, SIGWINCH])
  }

  deinit {
    var set = Descriptor.signalSet([SIGINT, SIGWINCH])
    pthread_sigmask(SIG_UNBLOCK, &set, nil)
  }

  /// Takes the next event that came, or `nil`.
  package func next() -> Event? {
    descriptor.nextSignal().map { $0 == SIGINT ? .interrupt : .resize }
  }
}
