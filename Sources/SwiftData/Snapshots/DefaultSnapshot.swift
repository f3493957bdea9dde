/// The values of one object.
///
/// Attributes are encoded by name as values of their own types, so that the encoder's settings for
/// dates and data apply, and relationships as identifiers. Properties that a decoder doesn't find
/// have their default values; properties that the class lacks are kept as they were read.
public struct DefaultSnapshot: DataStoreSnapshot, Sendable {
  /// The identifier of the object.
  public let persistentIdentifier: PersistentIdentifier
  /// The values by the names of the properties.
  var values: [String: HeldValue]

  init(_ identifier: PersistentIdentifier, _ values: [String: HeldValue]) {
    persistentIdentifier = identifier
    self.values = values
  }

  /// Creates the snapshot of an object.
  ///
  /// - Parameters:
  ///   - backingData: The storage of the object's values.
  ///   - relatedBackingDatas: Gets the storages of the objects that relationships lead to, as far
  ///     as they are in memory.
  public init(
    from backingData: any BackingData,
    relatedBackingDatas: inout [PersistentIdentifier: any BackingData]
  ) {
    if let storage = backingData._$storage {
      self.init(storage, &relatedBackingDatas)
    } else {
      self.init(foreign: backingData)
    }
  }

  public func copy(
    persistentIdentifier: PersistentIdentifier,
    remappedIdentifiers: [PersistentIdentifier: PersistentIdentifier]? = [:]
  ) -> DefaultSnapshot {
    guard let remappedIdentifiers, !remappedIdentifiers.isEmpty else {
      return DefaultSnapshot(persistentIdentifier, values)
    }
    return DefaultSnapshot(
      persistentIdentifier,
      values.mapValues { $0.replacing(remappedIdentifiers) }
    )
  }

  /// The value of a property by its name: of an attribute as it is, of a relationship the identifier or
  /// the identifiers that it leads to; `nil` if it is `nil` or not known.
  public subscript(property name: String) -> (any Sendable)? {
    switch values[name] {
    case .attribute(let value):
      let content: Any? = (value as? any OptionalType).map(\.wrapped) ?? value
      guard let plain = content else { return nil }
      // Values of attributes aren't changed in place.
      return unsafeBitCast(plain as Any, to: (any Sendable).self)
    case .one(let target): return target
    case .many(let targets): return targets
    case .tree(let tree): return tree.content
    case nil: return nil
    }
  }
}

extension DefaultSnapshot {
  /// Reads the values of an object of Depot; unloaded values are loaded.
  private init(
    _ storage: ModelStorage,
    _ related: inout [PersistentIdentifier: any BackingData]
  ) {
    var values: [String: HeldValue] = [:]
    for property in storage.description.properties {
      let slot = storage.loaded(property)
      values[property.name] = slot.held
      switch slot {
      case .link(let link): related.add(link.storage)
      case .many(let list): for link in list?.links ?? [] { related.add(link.storage) }
      default: break
      }
    }
    self.init(storage.identifier, values)
  }

  /// Reads the values that Depot holds, and no others.
  init(_ storage: ModelStorage) {
    var unused: [PersistentIdentifier: any BackingData] = [:]
    self.init(storage, &unused)
  }

  /// Reads the values that a type of the program's own holds.
  private init<Data: BackingData>(foreign backingData: Data) {
    let description = EntityDescription.of(Data.Model.self)
    let object = Data.Model(backingData: backingData)
    var values: [String: HeldValue] = [:]
    for property in description.properties {
      let value = property.value(of: object)
      switch property.kind {
      case .attribute where property.decodableType == nil: continue
      case .attribute: values[property.name] = value.map(HeldValue.attribute)
      case .toOne:
        values[property.name] = .one((value as? any PersistentModel)?.persistentModelID)
      case .toMany:
        let targets = (value as? any RelationshipCollection)?._$storages
        values[property.name] = .many(targets?.map(\.identifier))
      }
    }
    self.init(
      backingData.persistentModelID ?? .temporary(description.temporaryKey),
      values
    )
  }
}

extension [PersistentIdentifier: any BackingData] {
  fileprivate mutating func add(_ storage: ModelStorage) {
    if let data = storage as? any BackingData { self[storage.identifier] = data }
  }
}

extension CodedTree {
  /// The value as Foundation would have it.
  fileprivate var content: (any Sendable)? {
    switch self {
    case .null: nil
    case .scalar(let value): value
    case .list(let value): value.map(\.content)
    case .members(let value): value.mapValues(\.content)
    }
  }
}
