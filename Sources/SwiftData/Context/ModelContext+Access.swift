internal import Synchronization

extension ModelContext {
  /// The use of the context by threads.
  final var accessGuard: ContextAccessGuard { identityMap.accessGuard }

  /// Does something while no other thread may use the context.
  @inline(__always)
  final func using<Result>(_ body: () throws -> Result) rethrows -> Result {
    let accessGuard = identityMap.accessGuard
    let isFirst = accessGuard.begin { "A context" }
    defer { if isFirst { accessGuard.end() } }
    if isFirst, accessGuard.hasPendingEvents { mergePendingEvents() }
    return try body()
  }

  /// Ends the program where the calling thread runs jobs of an actor other than the context's.
  final func checkActor(_ subject: () -> String) {
    let executor = mergeQueue.executor
    let isElsewhere =
      switch executor {
      case .main: ActorQueue.isCurrent
      // An actor's initializer may run anywhere.
      case .queue:
        ActorQueue.isCurrent
          || accessGuard.hasActor.load(ordering: .relaxed) && MainQueue.isCurrent
      case .actor, .caller: false
      }
    guard isElsewhere, !executor.isCurrent else { return }
    endProgram(
      """
      \(subject()) is used by another actor than that of its context. Pass the object's \
      persistentModelID to the other actor, and find the object there with model(for:).
      """
    )
  }
}
