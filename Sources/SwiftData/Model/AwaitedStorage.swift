private import DepotLinux

/// The storage of a stored object that a thread makes, until the object has it.
///
/// The object begins with this storage, so that none is made for it and thrown away. Default values that
/// its initializer sets are ignored.
@usableFromInline
final class AwaitedStorage {
  private static let ofThread = ThreadLocal { AwaitedStorage() }

  private unowned(unsafe) var storage: ModelStorage?

  /// Makes the object of a storage.
  static func offering<Model>(_ storage: ModelStorage, _ make: () -> Model) -> Model {
    guard storage.phase == .stored else { return make() }
    let awaited = ofThread.object
    awaited.storage = storage
    defer {
      awaited.storage = nil
      storage.isAwaited = false
    }
    return make()
  }

  /// Returns the storage that is offered to an object of a class; `nil` if there is none.
  @usableFromInline
  static func take<Model: PersistentModel>(_: Model.Type) -> DefaultBackingData<Model>? {
    let awaited = ofThread.object
    guard let storage = awaited.storage, storage.description.root.type == Model.self else {
      return nil
    }
    awaited.storage = nil
    storage.isAwaited = true
    // because the storage of an object is made for the topmost class of its hierarchy
    return unsafeDowncast(storage, to: DefaultBackingData<Model>.self)
  }
}
