internal import CDepotLinux
internal import Glibc

/// A descriptor from which signals are read (signalfd(2)).
package final class SignalDescriptor: Sendable {
  /// The signals that a service handles.
  package enum Signal: Sendable {
    case terminate
    case hangUp
  }

  package let descriptor: Descriptor

  /// Blocks SIGTERM, SIGINT, and SIGHUP in the calling thread and the threads it starts.
  ///
  /// It also ignores signals that would end a service without need.
  ///
  /// - Throws: ``SystemError`` if there are no more descriptors.
  package init() throws(SystemError) {
    for number in [SIGPIPE, SIGXFSZ, SIGUSR1, SIGUSR2, SIGALRM] { Glibc.signal(number, SIG_IGN) }
    descriptor = try Descriptor.signals([SIGTERM, SIGINT, SIGHUP])
  }

  /// Reads the next signal, or `nil` if there is none.
  package func next() -> Signal? {
    descriptor.nextSignal().map { $0 == SIGHUP ? .hangUp : .terminate }
  }
}

extension Descriptor {
  /// Blocks signals in the calling thread and the threads it starts, and returns their descriptor.
  ///
  /// The corresponding C functions are `pthread_sigmask` and `signalfd`.
  static func signals(_ numbers: [Int32]) throws(SystemError) -> Descriptor {
    var set = signalSet(numbers)
    pthread_sigmask(SIG_BLOCK, &set, nil)
    let flags = Int32(SFD_CLOEXEC) | Int32(SFD_NONBLOCK)
    return Descriptor(try systemCall("signalfd") { signalfd(-1, &set, flags) })
  }

  static func signalSet(_ numbers: [Int32]) -> sigset_t {
    var set = sigset_t()
    sigemptyset(&set)
    for number in numbers { sigaddset(&set, number) }
    return set
  }

  /// Reads the number of the next signal, or `nil` if there is none.
  func nextSignal() -> Int32? {
    var info = signalfd_siginfo()
    let size = MemoryLayout<signalfd_siginfo>.size
    guard Glibc.read(number, &info, size) == size else { return nil }
    return Int32(info.ssi_signo)
  }
}
