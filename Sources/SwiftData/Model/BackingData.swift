/// The storage of the values of an object's properties.
///
/// The separate functions for relationships also fit relationships to `Codable` models; the
/// functions for attributes and for models are therefore disfavored.
public protocol BackingData<Model> {
  associatedtype Model: PersistentModel

  /// Creates the storage of a new object's values.
  init(for modelType: Model.Type)

  /// The identifier of the object; `nil` if it has none yet.
  var persistentModelID: PersistentIdentifier? { get set }

  /// The description of the properties that `@Model` makes.
  var metadata: Any { get }

  /// Returns the value of an attribute.
  @_disfavoredOverload
  func getValue<V: Decodable>(forKey key: KeyPath<Model, V>) -> V
  /// Returns the object that a relationship leads to, which always is one.
  @_disfavoredOverload
  func getValue<V: PersistentModel>(forKey key: KeyPath<Model, V>) -> V
  /// Returns the object that a relationship leads to; `nil` if there is none.
  @_disfavoredOverload
  func getValue<V: PersistentModel>(forKey key: KeyPath<Model, V?>) -> V?
  /// Returns the objects that a relationship leads to.
  func getValue<V: RelationshipCollection, O>(
    forKey key: KeyPath<Model, V>
  ) -> V where O == V.PersistentElement
  /// Returns the objects that a relationship leads to.
  func getValue<V: Decodable & RelationshipCollection, O>(
    forKey key: KeyPath<Model, V>
  ) -> V where O == V.PersistentElement
  /// Returns the value of an attribute of any type.
  func getTransformableValue<V>(forKey key: KeyPath<Model, V>) -> V

  /// Sets the value of an attribute.
  @_disfavoredOverload
  func setValue<V: Encodable>(forKey key: KeyPath<Model, V>, to newValue: V)
  /// Sets the object that a relationship leads to.
  @_disfavoredOverload
  func setValue<V: PersistentModel>(forKey key: KeyPath<Model, V>, to newValue: V)
  /// Sets the object that a relationship leads to.
  @_disfavoredOverload
  func setValue<V: PersistentModel>(forKey key: KeyPath<Model, V?>, to newValue: V?)
  /// Sets the objects that a relationship leads to.
  func setValue<V: RelationshipCollection, O>(
    forKey key: KeyPath<Model, V>,
    to newValue: V
  ) where O == V.PersistentElement
  /// Sets the objects that a relationship leads to.
  func setValue<V: Encodable & RelationshipCollection, O>(
    forKey key: KeyPath<Model, V>,
    to newValue: V
  ) where O == V.PersistentElement
  /// Sets the value of an attribute of any type.
  func setTransformableValue<V>(forKey key: KeyPath<Model, V>, to newValue: V)

  /// The values, if Depot itself holds them; not for programs to call.
  // swift-format-ignore: NoLeadingUnderscores
  var _$storage: ModelStorage? { get }
}

extension BackingData {
  public var metadata: Any { Model.schemaMetadata }

  /// None: the program's own backing data hold the values.
  // swift-format-ignore: NoLeadingUnderscores
  public var _$storage: ModelStorage? { nil }
}

/// The values of an object as Depot holds them.
public final class DefaultBackingData<Model: PersistentModel>: ModelStorage, BackingData {
  public required init(for modelType: Model.Type) {
    super.init(EntityDescription.of(Model.self), nil)
  }

  /// Creates the values of an object of a store, or of a new one.
  required init(_ description: EntityDescription, _ identifier: PersistentIdentifier?) {
    super.init(description, identifier)
  }

  public var persistentModelID: PersistentIdentifier? {
    get { identifier }
    set { if let newValue { identifier = newValue } }
  }

  // Not for programs to call.
  // swift-format-ignore: NoLeadingUnderscores
  public var _$storage: ModelStorage? { self }

  @_disfavoredOverload
  public func getValue<V: Decodable>(forKey key: KeyPath<Model, V>) -> V { attribute(key) }
  @_disfavoredOverload
  public func getValue<V: PersistentModel>(forKey key: KeyPath<Model, V>) -> V { object(key) }
  @_disfavoredOverload
  public func getValue<V: PersistentModel>(forKey key: KeyPath<Model, V?>) -> V? {
    optionalObject(key)
  }
  public func getValue<V: RelationshipCollection, O>(
    forKey key: KeyPath<Model, V>
  ) -> V where O == V.PersistentElement { objects(key) }
  public func getValue<V: Decodable & RelationshipCollection, O>(
    forKey key: KeyPath<Model, V>
  ) -> V where O == V.PersistentElement { objects(key) }
  public func getTransformableValue<V>(forKey key: KeyPath<Model, V>) -> V { attribute(key) }

  @_disfavoredOverload
  public func setValue<V: Encodable>(forKey key: KeyPath<Model, V>, to newValue: V) {
    setAttribute(key, newValue)
  }
  @_disfavoredOverload
  public func setValue<V: PersistentModel>(forKey key: KeyPath<Model, V>, to newValue: V) {
    setObject(key, newValue)
  }
  @_disfavoredOverload
  public func setValue<V: PersistentModel>(forKey key: KeyPath<Model, V?>, to newValue: V?) {
    setObject(key, newValue)
  }
  public func setValue<V: RelationshipCollection, O>(
    forKey key: KeyPath<Model, V>,
    to newValue: V
  ) where O == V.PersistentElement { setObjects(key, newValue) }
  public func setValue<V: Encodable & RelationshipCollection, O>(
    forKey key: KeyPath<Model, V>,
    to newValue: V
  ) where O == V.PersistentElement { setObjects(key, newValue) }
  public func setTransformableValue<V>(forKey key: KeyPath<Model, V>, to newValue: V) {
    setAttribute(key, newValue)
  }
}
