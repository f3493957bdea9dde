internal import Foundation
internal import Synchronization

/// The description of a model class, worked out once from its `schemaMetadata`.
// because everything in it is immutable but for the table of slots, which looks after itself
final class EntityDescription: @unchecked Sendable {
  /// The class.
  let type: any PersistentModel.Type
  /// The name of the entity.
  let name: String
  /// The description of the superclass, if it is a model class.
  let parent: EntityDescription?
  /// The properties, beginning with the superclass's.
  let properties: [PropertyDescription]
  /// The entity of objects that were never saved.
  let temporaryKey: EntityKey
  /// The values of a new object before its initializer runs.
  let initialSlots: [Slot]
  /// The codecs of the attributes by their slots, kept by ``properties``; `nil` for relationships.
  let codecs: [Unmanaged<AttributeCodec>?]
  /// The properties that are relationships.
  let relationships: [PropertyDescription]
  /// The to-many relationships that may have no collection.
  let optionalLists: [Int]
  /// Whether there are properties in external storage.
  let hasExternalValues: Bool
  private let byKeyPath: [AnyKeyPath: Int]
  /// The class's own key paths to the properties that it inherits, by their slots.
  private let inheritedKeyPaths: [AnyKeyPath?]
  private let byName: [String: Int]
  private let known = SlotTable()
  private let maker: ObjectMaker
  /// The constraints and indexes, once they have been used.
  let knownConstraints = AtomicLazyReference<ConstraintTable>()

  private init(_ type: any PersistentModel.Type, parent: EntityDescription?) {
    self.type = type
    self.parent = parent
    name = Schema.entityName(for: type)
    temporaryKey = EntityKey.of(store: nil, entity: name, root: parent?.root.name ?? name)
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
    let own = parent == nil ? [:] : type._$keyPaths
    inheritedKeyPaths = (parent?.properties ?? []).map { own[$0.name] }
    for (slot, keyPath) in inheritedKeyPaths.enumerated() {
      if let keyPath { keyPaths[keyPath] = slot }
    }
    self.properties = properties
    byKeyPath = keyPaths
    byName = Dictionary(first: properties.map { ($0.name, $0.slot) })
    let topmost: any PersistentModel.Type = parent?.root.type ?? type
    maker = ObjectMaker.of(type, root: topmost)
    initialSlots = properties.map(\.initialSlot)
    codecs = properties.map { $0.codec.map(Unmanaged.passUnretained) }
    relationships = properties.filter { $0.destination != nil }
    optionalLists = properties.filter(\.isOptionalList).map(\.slot)
    hasExternalValues = properties.contains(where: \.isExternal)
  }

  /// The topmost entity of the hierarchy.
  var root: EntityDescription { parent?.root ?? self }

  /// The properties that the class itself declares.
  var ownProperties: ArraySlice<PropertyDescription> {
    properties.dropFirst(parent?.properties.count ?? 0)
  }

  private static let known = Mutex<[ObjectIdentifier: EntityDescription]>([:])
  /// The description that was asked for last, and most often is again; it lasts as long as the process.
  private static let latest = Atomic<Unmanaged<EntityDescription>?>(nil)

  /// Returns the description of a class, always the same object.
  static func of(_ type: any PersistentModel.Type) -> EntityDescription {
    if let latest = latest.load(ordering: .acquiring)?.takeUnretainedValue(), latest.type == type {
      return latest
    }
    let key = ObjectIdentifier(type)
    if let description = known.withLock({ $0[key] }) {
      latest.store(.passUnretained(description), ordering: .releasing)
      return description
    }
    // Metadata is the program's own code, which may come back here.
    let parent = (_getSuperclass(type) as? any PersistentModel.Type).map { of($0) }
    let description = EntityDescription(type, parent: parent)
    return known.withLock { known in
      if let first = known[key] { return first }
      known[key] = description
      return description
    }
  }

  /// Returns the descriptions of the classes with a name, in several versions of a program.
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
    guard let property = inheritedProperty(keyPath) else { return nil }
    known.add(keyPath, property.slot)
    return property
  }

  /// Returns the key path of the class itself to a property, also to one that it inherits; `nil` if the class
  /// was written without `@Model` and inherits the property.
  func keyPath<Model: PersistentModel>(
    of property: PropertyDescription,
    in _: Model.Type
  ) -> PartialKeyPath<Model>? {
    let slot = property.slot
    let own = inheritedKeyPaths.indices.contains(slot) ? inheritedKeyPaths[slot] : nil
    return (own ?? property.keyPath) as? PartialKeyPath<Model>
  }

  /// Returns a property by its name.
  func property(named name: String) -> PropertyDescription? {
    byName[name].map { properties[$0] }
  }
}

// MARK: - Default values

extension EntityDescription {
  /// The attributes whose defaults differ each time, like `Date()`.
  var changingDefaults: [PropertyDescription] {
    let again = newDefaults
    return properties.filter { property in
      guard let codec = property.codec, let value = property.defaultValue,
        case let other?? = again[property.name]
      else { return false }
      return !codec.areEqual(value, other)
    }
  }

  /// Returns the values of a new object, with the defaults of some attributes evaluated anew.
  func initialSlots(renewing changing: [PropertyDescription]) -> [Slot] {
    if changing.isEmpty { return initialSlots }
    var slots = initialSlots
    let defaults = newDefaults
    for property in changing {
      if case let value?? = defaults[property.name] { slots[property.slot] = .value(any: value) }
    }
    return slots
  }

  /// The default values, evaluated anew, by the names of their properties.
  private var newDefaults: [String: Any?] {
    Dictionary(first: type.schemaMetadata.map { ($0.name, $0.defaultValue) })
  }
}

extension EntityDescription {
  /// Returns the properties that a path leads through; `nil` if the entities don't have them.
  func properties(along path: some StringProtocol) -> [PropertyDescription]? {
    var entity: EntityDescription? = self
    var found: [PropertyDescription] = []
    for name in path.split(separator: ".") {
      guard let property = entity?.property(named: String(name)) else { return nil }
      found.append(property)
      entity = property.destination.map { EntityDescription.of($0) }
    }
    return found
  }

  /// Returns the entity that a path of relationships leads to; `nil` if it leads to anything else.
  func entity(at path: some StringProtocol) -> EntityDescription? {
    guard let last = properties(along: path)?.last else { return path.isEmpty ? self : nil }
    return last.destination.map { EntityDescription.of($0) }
  }

  /// Creates an object of this class: an unread one over a row, or a new one with default values.
  ///
  /// It is new if `identifier` is `nil`.
  func makeObject(_ identifier: PersistentIdentifier?) -> ObjectReference {
    maker.make(self, identifier)
  }

  /// Makes a placeholder for an object that doesn't exist.
  func makePlaceholder(_ identifier: PersistentIdentifier) -> AnyObject {
    let link = makeObject(identifier)
    link.storage.phase = .gone
    return link.model
  }

  /// Whether the entity is another one or descends from it.
  func isKind(of other: EntityDescription) -> Bool {
    self === other || parent?.isKind(of: other) == true
  }
}
