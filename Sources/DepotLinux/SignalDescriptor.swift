internal import CDepotLinux
internal import Glibc

/// Signals as something to read (signalfd(2)).
package final class SignalDescriptor: Sendable {
  /// The signals that a service acts on.
  package enum Signal: Sendable {
    case terminate
    case hangUp
  }

  package let descriptor: Descriptor

  /// Blocks SIGTERM, SIGINT, and SIGHUP in the calling thread and those it starts, and ignores SIGPIPE
  /// and SIGXFSZ.
  ///
  /// - Throws: ``SystemError`` if there are no more descriptors.
  package init() throws(SystemError) {
    Glibc.signal(SIGPIPE, SIG_IGN)
    Glibc.signal(SIGXFSZ, SIG_IGN)
    var set = sigset_t()
    sigemptyset(&set)
    for number in [SIGTERM, SIGINT, SIGHUP] { sigaddset(&set, number) }
    pthread_sigmask(SIG_BLOCK, &set, nil)
    let flags = Int32(SFD_CLOEXEC) | Int32(SFD_NONBLOCK)
    descriptor = Descriptor(try systemCall("signalfd") { signalfd(-1, &set, flags) })
  }

  /// Takes the next signal that came, or `nil`.
  package func next() -> Signal? {
    var info = signalfd_siginfo()
    let size = MemoryLayout<signalfd_siginfo>.size
    guard Glibc.read(descriptor.number, &info, size) == size else { return nil }
    return info.ssi_signo == UInt32(SIGHUP) ? .hangUp : .terminate
  }
}
