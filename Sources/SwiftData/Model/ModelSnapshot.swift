/// The values of an object as they were at one moment, which any thread may have.
///
/// Its properties are those of the object: `snapshot.title`. A to-one relationship is a
/// `PersistentIdentifier?`, a to-many one a `[PersistentIdentifier]`.
// because attributes hold values of structures and enumerations, which are copies
@dynamicMemberLookup
public struct ModelSnapshot<Model: PersistentModel>: Identifiable, @unchecked Sendable {
  /// What names the object.
  public let id: PersistentIdentifier
  private let description: EntityDescription
  private let values: [CopiedValue]

  init(_ id: PersistentIdentifier, _ description: EntityDescription, _ values: [CopiedValue]) {
    self.id = id
    self.description = description
    self.values = values
  }

  /// What names the object in every context and every process.
  public var persistentModelID: PersistentIdentifier { id }

  /// An attribute.
  public subscript<Value: Codable>(dynamicMember keyPath: KeyPath<Model, Value>) -> Value {
    let slot = description.slot(of: keyPath)
    if case .attribute(let value as Value) = values[slot] { return value }
    return description.properties[slot].placeholder(Value.self, of: id)
  }

  /// What a to-one relationship leads to.
  public subscript<Target: PersistentModel>(
    dynamicMember keyPath: KeyPath<Model, Target?>
  ) -> PersistentIdentifier? { target(keyPath) }

  /// What a to-one relationship leads to.
  public subscript<Target: PersistentModel>(
    dynamicMember keyPath: KeyPath<Model, Target>
  ) -> PersistentIdentifier? { target(keyPath) }

  /// What a to-many relationship leads to.
  public subscript<Targets: RelationshipCollection>(
    dynamicMember keyPath: KeyPath<Model, Targets>
  ) -> [PersistentIdentifier] {
    if case .many(let identifiers) = values[description.slot(of: keyPath)] { return identifiers }
    return []
  }

  private func target(_ keyPath: AnyKeyPath) -> PersistentIdentifier? {
    if case .one(let identifier) = values[description.slot(of: keyPath)] { return identifier }
    return nil
  }
}

/// The value of one property in a snapshot.
enum CopiedValue {
  case attribute(Any)
  case one(PersistentIdentifier?)
  case many([PersistentIdentifier])
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
      case (.many(let first), .many(let second)): first == second
      default: false
      }
    }
  }

  public func hash(into hasher: inout Hasher) { hasher.combine(id) }
}

extension ModelSnapshot: Codable {
  /// The name of a property, or of what else is encoded.
  private struct Key: CodingKey {
    var stringValue: String
    var intValue: Int? { nil }
    init(_ name: String) { stringValue = name }
    init(stringValue: String) { self.init(stringValue) }
    init?(intValue: Int) { nil }

    static var identifier: Key { Key("persistentIdentifier") }
  }

  /// Encodes the properties by their names.
  ///
  /// - Throws: An `EncodingError` if a value can't be encoded.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: Key.self)
    try container.encode(id, forKey: .identifier)
    for property in description.properties {
      switch values[property.slot] {
      case .attribute(let value):
        guard let value = value as? any Encodable else {
          throw EncodingError.invalidValue(
            value,
            EncodingError.Context(
              codingPath: container.codingPath,
              debugDescription: "\(property.qualifiedName) isn't Encodable."
            )
          )
        }
        try container.encode(value, forKey: Key(property.name))
      case .one(let identifier): try container.encode(identifier, forKey: Key(property.name))
      case .many(let identifiers): try container.encode(identifiers, forKey: Key(property.name))
      }
    }
  }

  /// Decodes the properties by their names; those that are missing have their default values.
  ///
  /// - Throws: A `DecodingError` if a value is of another type.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: Key.self)
    let description = EntityDescription.of(Model.self)
    let values = try description.properties.map { property in
      let key = Key(property.name)
      switch property.kind {
      case .attribute:
        guard container.contains(key) else {
          if case .value(let value) = property.initialSlot { return CopiedValue.attribute(value) }
          return .attribute(Any?.none as Any)
        }
        let type = Swift.type(of: property.keyPath).valueType
        guard let type = type as? any Decodable.Type else {
          throw DecodingError.dataCorruptedError(
            forKey: key,
            in: container,
            debugDescription: "\(property.qualifiedName) isn't Decodable."
          )
        }
        return .attribute(try container.decode(type, forKey: key))
      case .toOne:
        return .one(try container.decodeIfPresent(PersistentIdentifier.self, forKey: key))
      case .toMany:
        return .many(try container.decodeIfPresent([PersistentIdentifier].self, forKey: key) ?? [])
      }
    }
    self.init(
      try container.decode(PersistentIdentifier.self, forKey: .identifier),
      description,
      values
    )
  }
}

extension PersistentModel {
  /// The values of an object of this class as they were at one moment.
  public typealias Snapshot = ModelSnapshot<Self>

  /// The values of the object as they are now, which any thread may have.
  public var snapshot: ModelSnapshot<Self> {
    let description = EntityDescription.of(Self.self)
    guard let storage = ownStorage else {
      return ModelSnapshot(persistentModelID, description, description.initialSlots.map(\.snapshot))
    }
    let values = description.properties.map { property in
      if property.isToMany {
        return CopiedValue.many(storage.targets(property.slot)?.allIdentifiers ?? [])
      }
      if storage.isUnloaded(property.slot) { storage.load(property.slot) }
      let slot = storage.slots[property.slot]
      if case .unloaded = slot { return property.initialSlot.snapshot }
      return slot.snapshot
    }
    return ModelSnapshot(storage.identifier, description, values)
  }
}

extension Slot {
  /// The value as a snapshot has it.
  fileprivate var snapshot: CopiedValue {
    switch self {
    case .value(let value): .attribute(value)
    case .many(let list): .many(list?.allIdentifiers ?? [])
    default: .one(targetIdentifier)
    }
  }
}
