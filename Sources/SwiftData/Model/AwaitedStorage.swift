private import DepotLinux

/// The storage of a stored object that a thread makes, until the object has it.
///
/// The object begins with this storage, so that none is made for it and thrown away. Default values that
/// its initializer sets are ignored.
@usableFromInline
final class AwaitedStorage {
  private static let ofThread = ThreadLocal { AwaitedStorage() }

  private unowned(unsafe) var storage: ModelStorage?
  /// The topmost class of the object.
  private var root: ObjectIdentifier?

  /// Makes the object of a storage.
  static func offering<Model, Root>(
    _ storage: ModelStorage,
    to root: Root.Type,
    _ make: () -> Model
  ) -> Model {
    guard storage.phase == .stored else { return make() }
    let awaited = ofThread.object
    (awaited.storage, awaited.root) = (storage, ObjectIdentifier(root))
    defer {
      awaited.root = nil
      storage.isAwaited = false
    }
    return make()
  }

  /// Returns the storage that is offered to an object of a class; `nil` if there is none.
  @usableFromInline
  static func take<Model: PersistentModel>(_: Model.Type) -> DefaultBackingData<Model>? {
    let awaited = ofThread.object
    guard awaited.root == ObjectIdentifier(Model.self), let storage = awaited.storage else {
      return nil
    }
    awaited.root = nil
    storage.isAwaited = true
    // because the storage of an object is made for the topmost class of its hierarchy
    return unsafeDowncast(storage, to: DefaultBackingData<Model>.self)
  }
}
