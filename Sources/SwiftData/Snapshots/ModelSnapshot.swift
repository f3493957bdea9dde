/// The values of an object at one time, which any thread may use.
///
/// It has the properties of the object: `snapshot.title`. A to-one relationship is a
/// `PersistentIdentifier?`, a to-many one a `[PersistentIdentifier]`.
@dynamicMemberLookup
public struct ModelSnapshot<Model: PersistentModel>: Identifiable, Sendable {
  /// The identifier of the object.
  public let id: PersistentIdentifier
  private let description: EntityDescription
  private let values: [HeldValue]

  init(_ id: PersistentIdentifier, _ description: EntityDescription, _ values: [HeldValue]) {
    self.id = id
    self.description = description
    self.values = values
  }

  /// The identifier of the object in every context and every process.
  public var persistentModelID: PersistentIdentifier { id }

  /// An attribute.
  public subscript<Value: Codable>(dynamicMember keyPath: KeyPath<Model, Value>) -> Value {
    let slot = description.slot(of: keyPath)
    if case .attribute(let value as Value) = values[slot] { return value }
    return description.properties[slot].placeholder(Value.self, of: id)
  }

  /// The target of a to-one relationship.
  public subscript<Other: PersistentModel>(
    dynamicMember keyPath: KeyPath<Model, Other?>
  ) -> PersistentIdentifier? { target(keyPath) }

  /// The target of a to-one relationship.
  public subscript<Other: PersistentModel>(
    dynamicMember keyPath: KeyPath<Model, Other>
  ) -> PersistentIdentifier? { target(keyPath) }

  /// The targets of a to-many relationship.
  public subscript<Targets: RelationshipCollection>(
    dynamicMember keyPath: KeyPath<Model, Targets>
  ) -> [PersistentIdentifier] {
    if case .many(let identifiers?) = values[description.slot(of: keyPath)] { return identifiers }
    return []
  }

  private func target(_ keyPath: AnyKeyPath) -> PersistentIdentifier? {
    if case .one(let identifier) = values[description.slot(of: keyPath)] { return identifier }
    return nil
  }
}

extension ModelSnapshot: Hashable {
  /// Whether the snapshots are of the same object and have the same values.
  public static func == (left: Self, right: Self) -> Bool {
    guard left.id == right.id, left.description === right.description else { return false }
    return left.description.properties.allSatisfy { property in
      switch (left.values[property.slot], right.values[property.slot]) {
      case (.attribute(let first), .attribute(let second)):
        property.codec?.areEqual(first, second) ?? false
      case (.one(let first), .one(let second)): first == second
      case (.many(let first), .many(let second)): first ?? [] == second ?? []
      default: false
      }
    }
  }

  public func hash(into hasher: inout Hasher) { hasher.combine(id) }
}

extension ModelSnapshot: Codable {
  /// Encodes the properties by their names.
  ///
  /// - Throws: An `EncodingError` if a value can't be encoded.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: DataStoreSnapshotCodingKey.self)
    try container.encode(id, forKey: .persistentIdentifier)
    for property in description.properties {
      let value = values[property.slot]
      let isNone = if case .many(nil) = value { true } else { false }
      try container.encode(isNone ? .many([]) : value, .modeledProperty(property.name))
    }
  }

  /// Decodes the properties by their names; missing ones have their default values.
  ///
  /// - Throws: A `DecodingError` if a value is of another type.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: DataStoreSnapshotCodingKey.self)
    let description = EntityDescription.of(Model.self)
    let values = try description.properties.map { property in
      let key = DataStoreSnapshotCodingKey.modeledProperty(property.name)
      guard container.contains(key) || property.destination != nil else {
        return property.initialSlot.held ?? .attribute(Any?.none as Any)
      }
      return try container.held(property, key)
    }
    self.init(
      try container.decode(PersistentIdentifier.self, forKey: .persistentIdentifier),
      description,
      values
    )
  }
}

extension PersistentModel {
  /// The values of an object of this class at one time.
  public typealias Snapshot = ModelSnapshot<Self>

  /// The current values of the object, which any thread may use.
  public var snapshot: ModelSnapshot<Self> {
    let description = EntityDescription.of(Self.self)
    let storage = ownStorage
    let values = description.properties.map { property in
      storage?.loaded(property).held ?? property.initialSlot.held ?? .one(nil)
    }
    return ModelSnapshot(persistentModelID, description, values)
  }
}

extension ModelStorage {
  /// Returns the value of a property, which is read if it wasn't.
  final func loaded(_ property: PropertyDescription) -> Slot {
    if property.isToMany { return .many(targets(property.slot)) }
    if isUnloaded(property.slot) { load(property.slot) }
    return slots[property.slot]
  }
}

extension Slot {
  /// The value as a snapshot has it; `nil` if it isn't known.
  var held: HeldValue? {
    switch self {
    case .unloaded: nil
    case .value(let cell): .attribute(cell.any)
    case .many(let list): .many(list?.allIdentifiers)
    case .nothing, .link, .reference, .weak: .one(targetIdentifier)
    }
  }
}
