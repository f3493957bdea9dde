/// The value of one property of one object, as far as it is known.
enum Slot {
  /// Nothing yet: the row has to be read.
  case unloaded
  /// The value of an attribute, of the property's type.
  case value(AttributeCell)
  /// A to-one relationship without a target.
  case nothing
  /// The object that a to-one relationship leads to, which is kept alive from here.
  case link(ObjectReference)
  /// The target of a to-one relationship; the context finds the object.
  case reference(PersistentIdentifier)
  /// The object that a to-one relationship leads to, for as long as others keep it alive.
  case weak(WeakObjectReference)
  /// The targets of a to-many relationship; `nil` if there is no collection.
  case many(ObjectReferenceList?)

  /// The value of an attribute whose type is known only while the program runs.
  static func value(any value: Any) -> Slot { .value(AttributeCell(any: value)) }
}

/// A reference to a relationship's target, which keeps the object alive.
struct ObjectReference {
  let model: AnyObject
  unowned(unsafe) let storage: ModelStorage

  init(_ model: AnyObject, _ storage: ModelStorage) {
    self.model = model
    self.storage = storage
  }
}

extension ModelStorage {
  /// The object as a relationship's target; `nil` before the object's initializer is done.
  var link: ObjectReference? { model.map { ObjectReference($0, self) } }
}

/// A weak reference to a relationship's target.
final class WeakObjectReference {
  private(set) weak var model: AnyObject?
  private unowned(unsafe) let storage: ModelStorage

  init(_ link: ObjectReference) {
    model = link.model
    storage = link.storage
  }

  var link: ObjectReference? { model.map { ObjectReference($0, storage) } }
}

/// The targets of a to-many relationship, in order.
final class ObjectReferenceList {
  /// The objects, which are kept alive from here; `nil` if only ``identifiers`` are known.
  private(set) var links: [ObjectReference]?
  /// The identifiers, where ``links`` are unknown.
  private(set) var identifiers: [PersistentIdentifier]
  /// The collection that the program had last, of the property's type.
  var typed: Any?
  /// Whether this is the value of all new objects of a class.
  let isInitial: Bool

  /// Returns the collection that the program had last, if there was one.
  func collection<C>(_: C.Type) -> C? {
    // If the type is optional, a missing collection would count as a collection that is `nil`.
    guard let typed else { return nil }
    return typed as? C
  }

  init(_ links: [ObjectReference] = [], isInitial: Bool = false) {
    self.links = links
    self.isInitial = isInitial
    identifiers = []
  }

  init(_ identifiers: [PersistentIdentifier]) {
    self.identifiers = identifiers
    isInitial = false
  }

  var count: Int { links?.count ?? identifiers.count }

  /// The identifiers of the objects.
  var allIdentifiers: [PersistentIdentifier] {
    links?.map(\.storage.identifier) ?? identifiers
  }

  func copy() -> ObjectReferenceList {
    if let links { return ObjectReferenceList(links) }
    return ObjectReferenceList(identifiers)
  }

  /// Returns a list without the objects that have some identifiers.
  func without(_ gone: Set<PersistentIdentifier>) -> ObjectReferenceList {
    links.map { ObjectReferenceList($0.filter { !gone.contains($0.storage.identifier) }) }
      ?? ObjectReferenceList(identifiers.filter { !gone.contains($0) })
  }

  /// Adds an object at the end.
  func append(_ link: ObjectReference) {
    typed = nil
    if links == nil { identifiers.append(link.storage.identifier) } else { links?.append(link) }
  }

  /// Inserts objects at an index, where ``links`` are known.
  func insert(_ others: [ObjectReference], at index: Int) {
    typed = nil
    links?.insert(contentsOf: others, at: index)
  }

  func contains(_ storage: ModelStorage) -> Bool { position(of: storage) != nil }

  func contains(_ identifier: PersistentIdentifier) -> Bool {
    if let links { return links.position { $0.storage.identifier == identifier } != nil }
    return identifiers.position { $0 == identifier } != nil
  }

  /// Removes an object; returns whether it was there.
  @discardableResult
  func remove(_ storage: ModelStorage) -> Bool {
    guard let index = position(of: storage) else { return false }
    typed = nil
    if links == nil { identifiers.remove(at: index) } else { links?.remove(at: index) }
    return true
  }

  /// Removes the objects in a range, where ``links`` are known; returns them.
  func remove(_ range: Range<Int>) -> [ObjectReference] {
    let removed = links.map { Array($0[range]) }
    typed = nil
    links?.removeSubrange(range)
    return removed ?? []
  }

  /// Finds an object from both ends, near which most changes are.
  private func position(of storage: ModelStorage) -> Int? {
    if let links { return links.position { $0.storage === storage } }
    let identifier = storage.identifier
    return identifiers.position { $0 == identifier }
  }

  /// Releases the objects, unless one of them has only a temporary identifier.
  func forgetObjects() {
    guard let links, !links.contains(where: { $0.storage.identifier.isTemporary }) else { return }
    typed = nil
    identifiers = links.map(\.storage.identifier)
    self.links = nil
  }
}

/// The objects added to and removed from a to-many relationship that isn't loaded.
struct RelationshipDelta {
  var added: [ObjectReference] = []
  var removed: [ObjectReference] = []

  /// Notes that an object was added or removed, unless that takes the opposite back.
  mutating func change(_ link: ObjectReference, isAdded: Bool) {
    func move(from opposite: inout [ObjectReference], to side: inout [ObjectReference]) {
      if let index = opposite.firstIndex(where: { $0.storage === link.storage }) {
        opposite.remove(at: index)
      } else {
        side.append(link)
      }
    }
    if isAdded { move(from: &removed, to: &added) } else { move(from: &added, to: &removed) }
  }

  var isEmpty: Bool { added.isEmpty && removed.isEmpty }

  /// Returns the list after the changes.
  func applied(to list: ObjectReferenceList) -> ObjectReferenceList {
    let result = list.without(removed.identifiers)
    let known = Set(result.allIdentifiers)
    for link in added where !known.contains(link.storage.identifier) { result.append(link) }
    return result
  }
}

extension Array {
  /// Returns the index of an element, searching from both ends at once.
  fileprivate func position(where isWanted: (Element) -> Bool) -> Int? {
    var (low, high) = (0, count - 1)
    while low <= high {
      if isWanted(self[high]) { return high }
      if isWanted(self[low]) { return low }
      low += 1
      high -= 1
    }
    return nil
  }
}
