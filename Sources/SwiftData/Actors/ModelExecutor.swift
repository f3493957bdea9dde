/// An executor of the jobs of an actor that has a context.
public protocol ModelExecutor: Executor {
  /// The context, which is used by the executor's jobs alone.
  var modelContext: ModelContext { get }
}

/// A ``ModelExecutor`` that runs one job at a time.
public protocol SerialModelExecutor: ModelExecutor, SerialExecutor {}
