internal import CDepotLinux
internal import Glibc

/// Functions for threads (pthread_create(3)).
package enum Thread {
  private final class Start: Sendable {
    let body: @Sendable () -> Void

    init(_ body: @escaping @Sendable () -> Void) {
      self.body = body
    }
  }

  /// Runs `body` on a new, detached thread with all signals blocked.
  ///
  /// - Parameters:
  ///   - name: The name in `ps -L`, at most 15 bytes.
  ///   - body: The work of the thread; the thread ends when it returns.
  /// - Throws: ``SystemError`` if the kernel allows no more threads.
  package static func start(
    name: String,
    _ body: @escaping @Sendable () -> Void
  ) throws(SystemError) {
    var all = sigset_t()
    var before = sigset_t()
    sigfillset(&all)
    pthread_sigmask(SIG_BLOCK, &all, &before)
    defer { pthread_sigmask(SIG_SETMASK, &before, nil) }
    let start = Unmanaged.passRetained(Start(body))
    var thread = pthread_t()
    let code = pthread_create(
      &thread,
      nil,
      { context in
        guard let context else { return nil }
        Unmanaged<Start>.fromOpaque(context).takeRetainedValue().body()
        return nil
      },
      start.toOpaque()
    )
    guard code == 0 else {
      start.release()
      throw SystemError(call: "pthread_create", code: code)
    }
    depot_name_thread(thread, name)
    pthread_detach(thread)
  }

  /// The number of processors (sysconf(3)).
  package static var processorCount: Int { sysconf(Int32(_SC_NPROCESSORS_ONLN)) }

  /// The processor time of the calling thread, in nanoseconds.
  package static var time: UInt64 { Monotonic.nanoseconds(of: CLOCK_THREAD_CPUTIME_ID) }

  /// The identifier of the calling thread.
  package static var current: UInt { UInt(pthread_self()) }
}
