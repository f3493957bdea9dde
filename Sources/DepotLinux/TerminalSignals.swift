internal import CDepotLinux
internal import Glibc

/// What a terminal tells the program in front of it, as something to read (signalfd(2)).
package final class TerminalSignals: Sendable {
  /// What the user did.
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
    var set = Self.signals
    pthread_sigmask(SIG_BLOCK, &set, nil)
    let flags = Int32(SFD_CLOEXEC) | Int32(SFD_NONBLOCK)
    descriptor = Descriptor(try systemCall("signalfd") { signalfd(-1, &set, flags) })
  }

  deinit {
    var set = Self.signals
    pthread_sigmask(SIG_UNBLOCK, &set, nil)
  }

  private static var signals: sigset_t {
    var set = sigset_t()
    sigemptyset(&set)
    sigaddset(&set, SIGINT)
    sigaddset(&set, SIGWINCH)
    return set
  }

  /// Takes the next event that came, or `nil`.
  package func next() -> Event? {
    var info = signalfd_siginfo()
    let size = MemoryLayout<signalfd_siginfo>.size
    guard Glibc.read(descriptor.number, &info, size) == size else { return nil }
    return info.ssi_signo == UInt32(SIGINT) ? .interrupt : .resize
  }
}
