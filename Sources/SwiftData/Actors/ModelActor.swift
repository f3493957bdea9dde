/// An actor that has a context of its own; the macro `@ModelActor` makes one.
///
/// ```swift
/// @ModelActor actor Importer {
///   func add(_ titles: [String]) throws {
///     for title in titles { modelContext.insert(Trip(title: title)) }
///     try modelContext.save()
///   }
/// }
/// ```
public protocol ModelActor: Actor {
  /// Where the objects are stored.
  nonisolated var modelContainer: ModelContainer { get }

  /// The executor of the actor's jobs.
  nonisolated var modelExecutor: any ModelExecutor { get }
}

extension ModelActor {
  /// The executor of the actor's jobs, which runs one at a time.
  public nonisolated var unownedExecutor: UnownedSerialExecutor {
    let executor = modelExecutor
    if let executor = executor as? DefaultSerialModelExecutor {
      return executor.asUnownedSerialExecutor()
    }
    guard let executor = executor as? any SerialModelExecutor else {
      preconditionFailure("The executor of \(Self.self) isn't a SerialModelExecutor.")
    }
    return executor.asUnownedSerialExecutor()
  }

  /// The context, which is used inside the actor alone.
  public var modelContext: ModelContext { modelExecutor.modelContext }
}

extension ModelActor {
  /// Returns the object that has an identifier, in the actor's own context; `nil` if there is no such row.
  public subscript<T: PersistentModel>(id: PersistentIdentifier, as type: T.Type) -> T? {
    try? modelContext.existingModel(for: id, as: type)
  }
}
