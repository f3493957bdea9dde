internal import Dispatch
internal import Foundation
public import SwiftData

extension ModelContainer {
  /// Makes a container in memory.
  ///
  /// - Parameter types: The classes; classes that their relationships lead to belong to it too.
  /// - Returns: A container that has nothing in common with any other.
  /// - Throws: `SwiftDataError` if the models contradict each other.
  public static func inMemory(for types: any PersistentModel.Type...) throws -> ModelContainer {
    try ModelContainer(
      for: SwiftData.Schema(types),
      configurations: ModelConfiguration(isStoredInMemoryOnly: true)
    )
  }

  /// Waits until all watchers of the container's stores have merged the saves so far.
  ///
  /// Watchers are contexts that merge automatically on their own actor, as the main context does,
  /// with their results observers and live queries, and history observers. A context without an
  /// actor merges when it is used next. Loops over `Observations` run when their task is scheduled.
  ///
  /// ```swift
  /// try other.save()
  /// try await container.settle()
  /// #expect(observer.results.count == 3)
  /// ```
  ///
  /// - Parameter limit: How long to wait; it is reached only if something hangs.
  /// - Throws: ``SettleTimeout`` if it was reached, `SwiftDataError.storeFailure` if nothing answers.
  public final func settle(within limit: Duration = .seconds(30)) async throws {
    let tokens = try await withCheckedThrowingContinuation { continuation in
      // The service is asked on a thread that may wait.
      DispatchQueue.global().async {
        continuation.resume(with: Result { try self.lastTransactions() })
      }
    }
    try await poll(within: limit, "a context or an observer") { hasSettled(at: tokens) }
  }
}

extension TestService {
  /// Opens the service's store for objects.
  ///
  /// - Parameter types: The classes; classes that their relationships lead to belong to it too.
  /// - Returns: A container of the store.
  /// - Throws: `SwiftDataError` if the store has another schema or the models contradict each other.
  public func container(for types: any PersistentModel.Type...) throws -> ModelContainer {
    try ModelContainer(
      for: SwiftData.Schema(types),
      configurations: ModelConfiguration(url: URL(fileURLWithPath: store))
    )
  }
}
