internal import Glibc
internal import Synchronization

/// The signals SIGHUP, SIGINT, and SIGTERM, for a program that must clean up before it ends.
///
/// Programs that it starts aren't affected: they inherit neither handlers nor blocked signals.
package enum EndSignals {
  private static let descriptor = Atomic<Int32>(-1)
  private static let first = Atomic<Int32>(0)

  /// Runs `body` with the signal's number on its own thread when the first of the signals arrives.
  ///
  /// The signals no longer end the program, and neither does SIGPIPE: writing to a closed pipe
  /// fails instead. The corresponding C function is `signal`.
  ///
  /// - Throws: ``SystemError`` if there are no more descriptors or threads.
  package static func handle(_ body: @escaping @Sendable (Int32) -> Void) throws(SystemError) {
    let wake = try WakeSignal(isBlocking: true)
    descriptor.store(wake.descriptor.number, ordering: .sequentiallyConsistent)
    first.store(0, ordering: .sequentiallyConsistent)
    try Thread.start(name: "end-signals") {
      wake.consume()
      body(first.load(ordering: .sequentiallyConsistent))
    }
    // Started programs would inherit an ignored signal, but not a handler.
    _ = signal(SIGPIPE) { _ in }
    for number in [SIGHUP, SIGINT, SIGTERM] { _ = signal(number) { EndSignals.take($0) } }
  }

  /// Handles a signal, with async-signal-safe calls only.
  private static func take(_ number: Int32) {
    let (isFirst, _) = first.compareExchange(
      expected: 0,
      desired: number,
      ordering: .sequentiallyConsistent
    )
    if isFirst { WakeSignal.raise(descriptor.load(ordering: .sequentiallyConsistent)) }
  }
}
