/// A context with a queue of its own, off the main thread.
///
/// ```swift
/// let background = container.newBackgroundContext()
/// let count = try await background.perform { context in
///   try context.delete(model: Trip.self, where: #Predicate { $0.isOver })
///   return try context.fetchCount(FetchDescriptor<Trip>())
/// }
/// ```
///
/// Objects stay inside of the closures; identifiers and snapshots may leave them.
public actor BackgroundContext: ModelActor {
  /// The container of the stores.
  public nonisolated let modelContainer: ModelContainer
  /// The executor of the closures, which has its own queue.
  public nonisolated let modelExecutor: any ModelExecutor
  private nonisolated let executor: DefaultSerialModelExecutor

  /// Creates a context of a container's stores.
  public init(modelContainer: ModelContainer) {
    self.modelContainer = modelContainer
    executor = DefaultSerialModelExecutor(modelContext: ModelContext(modelContainer))
    modelExecutor = executor
  }

  /// Calls `body` with the context, after the calls made before.
  ///
  /// - Returns: The result of `body`.
  /// - Throws: Any error of `body`.
  public func perform<Result: Sendable>(
    _ body: @Sendable (ModelContext) throws -> Result
  ) throws -> Result {
    try body(modelContext)
  }

  /// Calls `body` with the context, and waits for it; not to be called from within another `body`.
  ///
  /// - Returns: The result of `body`.
  /// - Throws: Any error of `body`.
  public nonisolated func performAndWait<Result: Sendable>(
    _ body: @Sendable (ModelContext) throws -> Result
  ) throws -> Result {
    try executor.queue.sync { try body(executor.modelContext) }
  }
}

extension ModelContainer {
  /// Creates a context with a queue of its own, off the main thread.
  public final func newBackgroundContext() -> BackgroundContext {
    BackgroundContext(modelContainer: self)
  }

  /// Calls `body` with a context of its own, off the main thread.
  ///
  /// - Returns: The result of `body`.
  /// - Throws: Any error of `body`.
  public final func performBackgroundTask<Result: Sendable>(
    _ body: @Sendable (ModelContext) throws -> Result
  ) async throws -> Result {
    try await newBackgroundContext().perform(body)
  }
}
