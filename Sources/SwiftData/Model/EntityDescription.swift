internal import Foundation
internal import Synchronization

/// What a model class stores, worked out once from its `schemaMetadata`.
// because everything in it is immutable but for the table of slots, which looks after itself
final class EntityDescription: @unchecked Sendable {
  /// The class.
  let type: any PersistentModel.Type
  /// The name of the entity.
  let name: String
  /// What the superclass stores, if it is a model class.
  let parent: EntityDescription?
  /// The properties; those of the superclass come first.
  let properties: [PropertyDescription]
  /// The entity of objects that were never saved.
  let temporaryKey: EntityKey
  /// What a new object has before its initializer runs.
  let initialSlots: [Slot]
  /// What nothing is known of yet.
  let unloadedSlots: [Slot]
  /// The properties that lead to objects.
  let relationships: [PropertyDescription]
  private let byKeyPath: [AnyKeyPath: Int]
  private let byName: [String: Int]
  private let known = SlotTable()
  /// The constraints and indexes, once somebody asked.
  let constraints = AtomicLazyReference<ConstraintTable>()
  /// The other ends of relationships, once somebody asked.
  let inverses = AtomicLazyReference<InverseTable>()

  private init(_ type: any PersistentModel.Type, parent: EntityDescription?) {
    self.type = type
    self.parent = parent
    name = Schema.entityName(for: type)
    let top = parent?.root.name ?? name
    temporaryKey = EntityKey.of(store: nil, entity: name, root: top)
    var properties = parent?.properties ?? []
    let inherited = Set(properties.map(\.name))
    var keyPaths: [AnyKeyPath: Int] = [:]
    for property in properties { keyPaths[property.keyPath] = property.slot }
    for metadata in type.schemaMetadata {
      if !(metadata.metadata is any SchemaConstraint), !inherited.contains(metadata.name) {
        let property = PropertyDescription.make(metadata, slot: properties.count)
        keyPaths[metadata.keypath] = properties.count
        properties.append(property)
      }
    }
    self.properties = properties
    byKeyPath = keyPaths
    byName = Dictionary(properties.map { ($0.name, $0.slot) }) { first, _ in first }
    initialSlots = properties.map(\.initialSlot)
    unloadedSlots = Array(repeating: .unloaded, count: properties.count)
    relationships = properties.filter { $0.destination != nil }
  }

  /// The topmost entity of the hierarchy.
  var root: EntityDescription { parent?.root ?? self }

  /// The properties that the class itself declares.
  var ownProperties: ArraySlice<PropertyDescription> {
    properties.dropFirst(parent?.properties.count ?? 0)
  }

  private static let known = Mutex<[ObjectIdentifier: EntityDescription]>([:])

  /// Returns the description of a class, always the same object.
  static func of(_ type: any PersistentModel.Type) -> EntityDescription {
    let key = ObjectIdentifier(type)
    if let description = known.withLock({ $0[key] }) { return description }
    // Metadata is the program's own code, which may come back here.
    let parent = (_getSuperclass(type) as? any PersistentModel.Type).map { of($0) }
    let description = EntityDescription(type, parent: parent)
    return known.withLock { known in
      if let first = known[key] { return first }
      known[key] = description
      return description
    }
  }

  /// Returns the descriptions of the classes that have a name, those of several versions of a program.
  static func all(named name: String) -> [EntityDescription] {
    known.withLock { known in known.values.filter { $0.name == name } }
  }

  /// Returns the slot of a property.
  func slot(of keyPath: AnyKeyPath) -> Int {
    if let slot = known[keyPath] { return slot }
    guard let slot = property(keyPath)?.slot else {
      preconditionFailure("\(name) stores no property \(keyPath).")
    }
    known.add(keyPath, slot)
    return slot
  }

  /// Returns a property by its key path; `nil` if it isn't stored.
  ///
  /// The key path may be one of the class itself to a property that it inherits.
  func property(_ keyPath: AnyKeyPath) -> PropertyDescription? {
    if let slot = byKeyPath[keyPath] { return properties[slot] }
    if let slot = known[keyPath] { return properties[slot] }
    guard let property = InheritedKeyPaths.property(keyPath, of: type, parent) else { return nil }
    known.add(keyPath, property.slot)
    return property
  }

  /// Returns a property by its name.
  func property(named name: String) -> PropertyDescription? {
    byName[name].map { properties[$0] }
  }
}

extension EntityDescription {
  /// Creates an object over a row of which nothing is known.
  func makeObject(_ identifier: PersistentIdentifier) -> Link {
    makeObject(of: root.type, identifier)
  }

  /// Creates an object of this class, whose backing data is that of the topmost class.
  private func makeObject<Root: PersistentModel>(
    of _: Root.Type,
    _ identifier: PersistentIdentifier
  ) -> Link {
    guard let type = type as? Root.Type else {
      preconditionFailure("\(name) doesn't descend from \(Root.self).")
    }
    let storage = DefaultBackingData<Root>(self, identifier)
    let model = type.init(backingData: storage)
    storage.adopt(model)
    return Link(model, storage)
  }

  /// Whether the entity is another one or descends from it.
  func isKind(of other: EntityDescription) -> Bool {
    self === other || parent?.isKind(of: other) == true
  }
}
