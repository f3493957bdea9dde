internal import DepotClient

/// The changes of a merge, by entities; also of rows that the context doesn't have.
struct MergedChanges {
  private(set) var entities: [ObjectIdentifier: EntityChanges] = [:]
  /// Whether anything may have changed.
  var isUnknown = false

  /// The changes of the rows of an entity.
  struct EntityChanges {
    let description: EntityDescription
    /// Whether rows were inserted or deleted.
    var isMembership = false
    /// The properties that changed.
    var slots = SlotSet()

    fileprivate mutating func formUnion(_ other: EntityChanges) {
      isMembership = isMembership || other.isMembership
      slots.formUnion(other.slots)
    }
  }

  mutating func note(_ change: DepotClient.HistoryChange, _ description: EntityDescription) {
    if change.kind == .insert || change.kind == .delete { return noteMembership(description) }
    for property in description.properties(changedBy: change) { note(description, property.slot) }
  }

  /// Notes that the program itself has changed a property.
  mutating func note(_ description: EntityDescription, _ slot: Int) {
    entities[ObjectIdentifier(description), default: EntityChanges(description: description)]
      .slots.insert(slot)
  }

  /// Notes that the program itself has inserted or deleted an object.
  mutating func noteMembership(_ description: EntityDescription) {
    entities[ObjectIdentifier(description), default: EntityChanges(description: description)]
      .isMembership = true
  }

  mutating func formUnion(_ other: MergedChanges) {
    if other.isUnknown { isUnknown = true }
    for (key, touch) in other.entities {
      entities[key, default: EntityChanges(description: touch.description)].formUnion(touch)
    }
  }

  var isEmpty: Bool { entities.isEmpty && !isUnknown }
}

extension EntityDescription {
  /// The properties that a change says have changed.
  func properties(changedBy change: DepotClient.HistoryChange) -> [PropertyDescription] {
    var found: [PropertyDescription] = []
    for path in change.properties {
      let name = path.contains(".") ? String(path.prefix { $0 != "." }) : path
      guard let property = property(named: name), !found.contains(where: { $0 === property })
      else { continue }
      found.append(property)
    }
    return found
  }
}
