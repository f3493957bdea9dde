internal import DepotProtocol
internal import Observation
internal import Synchronization

/// One property that a model class stores.
class PropertyDescription {
  let name: String
  let slot: Int
  let keyPath: AnyKeyPath
  let kind: Kind
  /// The codec of the values; `nil` for a relationship.
  let codec: AttributeCodec?
  /// The default value, of the property's type; `nil` if there is none.
  let defaultValue: Any?
  /// The options of `@Attribute`.
  let attribute: Schema.Attribute?
  /// The options of `@Relationship`.
  let relationship: Schema.Relationship?
  /// Whether values may be large, so that they are read when they are needed.
  let isExternal: Bool
  /// The class that declares the property.
  let owner: any PersistentModel.Type
  private let knownShape = Atomic<Unmanaged<RelationshipShape>?>(nil)

  /// The kind of value.
  enum Kind {
    case attribute(AttributeCodec)
    case toOne(any PersistentModel.Type, isOptional: Bool)
    case toMany(any PersistentModel.Type, isOptional: Bool)
  }

  init(
    _ metadata: Schema.PropertyMetadata,
    _ kind: Kind,
    owner: any PersistentModel.Type,
    slot: Int
  ) {
    name = metadata.name
    self.owner = owner
    self.slot = slot
    keyPath = metadata.keypath
    self.kind = kind
    codec = if case .attribute(let codec) = kind { codec } else { nil }
    defaultValue = metadata.defaultValue
    attribute = metadata.metadata as? Schema.Attribute
    isExternal = attribute?.options.contains(.externalStorage) ?? false
    relationship = metadata.metadata as? Schema.Relationship
  }

  /// The value in a new object before anything is set.
  var initialSlot: Slot {
    switch kind {
    case .attribute(let codec): .value(any: defaultValue ?? codec.placeholder)
    case .toOne: .nothing
    case .toMany(_, let isOptional): .many(isOptional ? nil : ObjectReferenceList(isInitial: true))
    }
  }

  /// Whether it is a to-many relationship that may have no collection.
  var isOptionalList: Bool { if case .toMany(_, isOptional: true) = kind { true } else { false } }

  deinit { knownShape.load(ordering: .acquiring)?.release() }

  /// The role of the relationship in the graph of the classes.
  var shape: RelationshipShape {
    if let known = knownShape.load(ordering: .acquiring) { return known.takeUnretainedValue() }
    let shape = Unmanaged.passRetained(RelationshipShape.of(self))
    let (isFirst, known) = knownShape.compareExchange(
      expected: nil,
      desired: shape,
      ordering: .acquiringAndReleasing
    )
    if !isFirst { shape.release() }
    return (known ?? shape).takeUnretainedValue()
  }

  /// The name with the entity's name before it, as in `Trip.stops`.
  var qualifiedName: String { "\(Schema.entityName(for: owner)).\(name)" }

  /// The class of a relationship's targets.
  var destination: (any PersistentModel.Type)? {
    switch kind {
    case .attribute: nil
    case .toOne(let type, _), .toMany(let type, _): type
    }
  }

  /// Why the store can't compare the values, as the end of a sentence; `nil` if it can, or if it is a
  /// relationship.
  var opacity: String? {
    isStored ? codec?.opaqueForm.map { "is stored \($0)" } : "isn't stored"
  }

  /// Whether rows have the values.
  var isStored: Bool { attribute?.options.contains(.ephemeral) != true }

  var isToMany: Bool {
    if case .toMany = kind { return true }
    return false
  }

  /// Returns a stand-in for an unavailable value.
  ///
  /// It is the default value, an empty value, or another value that can be made of the type. There
  /// has to be such a value: if none can be made, the property needs a default value.
  func placeholder<V>(_: V.Type, of identifier: PersistentIdentifier? = nil) -> V {
    if let value = defaultValue as? V { return value }
    if let value = codec?.placeholder as? V { return value }
    if let value = Placeholder.lastResort(V.self) ?? codec?.lastResort as? V { return value }
    let object = identifier.map { " of \($0)" } ?? ""
    preconditionFailure(
      """
      The value of \(qualifiedName)\(object) can't be had: its row is gone or can't be read. No other \
      \(V.self) can be made to stand in for it. Give the property a default value where it is declared, \
      or make it optional.
      """
    )
  }

  /// Notifies observers of `model` that the property is about to change.
  func willSet(_ model: AnyObject) {}

  /// Notifies observers of `model` that the property has changed.
  func didSet(_ model: AnyObject) {}

  /// Returns the value of the property of `model`, as its accessor gives it.
  func value(of model: AnyObject) -> Any? { nil }
}

/// A property of known types.
private final class TypedProperty<Model: PersistentModel, Value>: PropertyDescription {
  private let typedKeyPath: KeyPath<Model, Value>

  init(
    _ metadata: Schema.PropertyMetadata,
    _ keyPath: KeyPath<Model, Value>,
    _ kind: Kind,
    slot: Int
  ) {
    typedKeyPath = keyPath
    super.init(metadata, kind, owner: Model.self, slot: slot)
  }

  override func willSet(_ model: AnyObject) {
    guard let model = model as? Model else { return }
    model.aside { $0._$observationRegistrar.willSet($0, keyPath: typedKeyPath) }
  }

  override func didSet(_ model: AnyObject) {
    guard let model = model as? Model else { return }
    model.aside { $0._$observationRegistrar.didSet($0, keyPath: typedKeyPath) }
  }

  override func value(of model: AnyObject) -> Any? { (model as? Model)?[keyPath: typedKeyPath] }
}

extension PersistentModel {
  /// Notifies observers, which may use the object on other threads meanwhile.
  fileprivate func aside(_ body: (Self) -> Void) {
    guard let accessGuard = storage?.table?.accessGuard else { return body(self) }
    accessGuard.aside { body(self) }
  }
}

extension PropertyDescription {
  /// Makes the description of a property from the types of its key path.
  static func make(_ metadata: Schema.PropertyMetadata, slot: Int) -> PropertyDescription {
    let types = Swift.type(of: metadata.keypath)
    guard let root = types.rootType as? any PersistentModel.Type else {
      preconditionFailure("\(metadata.name) isn't a property of a model class.")
    }
    return make(metadata, root, types.valueType, slot: slot)
  }

  private static func make<Model: PersistentModel>(
    _ metadata: Schema.PropertyMetadata,
    _ model: Model.Type,
    _ valueType: Any.Type,
    slot: Int
  ) -> PropertyDescription {
    func open<Value>(_: Value.Type) -> PropertyDescription {
      guard let keyPath = metadata.keypath as? KeyPath<Model, Value> else {
        preconditionFailure("\(metadata.name) isn't a property of \(Model.self).")
      }
      let kind = kind(of: Value.self, metadata)
      return TypedProperty(metadata, keyPath, kind, slot: slot)
    }
    return open(valueType)
  }

  private static func kind<Value>(
    of type: Value.Type,
    _ metadata: Schema.PropertyMetadata
  ) -> Kind {
    let wrapped = (type as? any OptionalType.Type)?.wrappedType
    if let model = (wrapped ?? type) as? any PersistentModel.Type {
      return .toOne(model, isOptional: wrapped != nil)
    }
    if let models = (wrapped ?? type) as? any RelationshipCollection.Type {
      return .toMany(models.elementType, isOptional: wrapped != nil)
    }
    return .attribute(AttributeCodec.of(type, metadata.metadata as? Schema.Attribute))
  }
}

extension RelationshipCollection {
  fileprivate static var elementType: any PersistentModel.Type { PersistentElement.self }
}
