/// A maker of the objects of one class.
class ObjectMaker {
  /// Creates an object: an unread one over a row, or a new one with default values.
  ///
  /// It is new if `identifier` is `nil`.
  func make(
    _ description: EntityDescription,
    _ identifier: PersistentIdentifier?
  ) -> ObjectReference { preconditionFailure("abstract") }

  /// Returns the maker of a class whose hierarchy has a topmost class.
  static func of<Root: PersistentModel>(
    _ type: any PersistentModel.Type,
    root: Root.Type
  ) -> ObjectMaker {
    guard let type = type as? Root.Type else {
      preconditionFailure("\(type) doesn't descend from \(Root.self).")
    }
    return TypedMaker(type)
  }
}

/// A maker that knows the types, since finding them for each object takes long.
private final class TypedMaker<Root: PersistentModel>: ObjectMaker {
  private let type: Root.Type
  /// The type of backing data of the topmost class, which all objects have.
  private let storageType: any (ModelStorage & BackingData<Root>).Type =
    DefaultBackingData<Root>.self

  init(_ type: Root.Type) { self.type = type }

  override func make(
    _ description: EntityDescription,
    _ identifier: PersistentIdentifier?
  ) -> ObjectReference {
    let storage = storageType.init(description, identifier)
    let model = AwaitedStorage.offering(storage, to: Root.self) { type.init(backingData: storage) }
    storage.adopt(model)
    return ObjectReference(model, storage)
  }
}
