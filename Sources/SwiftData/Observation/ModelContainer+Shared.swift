internal import Synchronization

extension ModelContainer {
  private static let known = Mutex<ModelContainer?>(nil)

  /// The container of queries that aren't given a context.
  public static var shared: ModelContainer? {
    get { known.withLock { $0 } }
    set { known.withLock { $0 = newValue } }
  }

  /// Returns the main context of the shared container on the main actor, and a new one elsewhere.
  ///
  /// - Throws: ``SwiftDataError/missingModelContext`` if there is no shared container.
  static func sharedContext() throws -> ModelContext {
    guard let shared else {
      throw SwiftDataError(
        .missingModelContext,
        "The query has no context.",
        hint: "Give it one with modelContext:, or set ModelContainer.shared."
      )
    }
    return shared.context(MainQueue.isCurrent ? MainActor.shared : nil)
  }
}
