internal import DepotClient
internal import DepotProtocol

/// A change of the history from the service, with the description of the object's class.
struct HistoryRecord: Hashable, Sendable {
  let description: EntityDescription
  let identifier: PersistentIdentifier
  /// The number of the transaction, and of the change in it.
  let transaction: Int64
  let index: Int
  let change: DepotClient.HistoryChange

  /// The properties that changed.
  var properties: [PropertyDescription] { description.properties(changedBy: change) }

  /// Returns the value that a property has among the JSON of values.
  func value(_ keyPath: AnyKeyPath, in members: [String: [UInt8]]) -> (any Sendable)? {
    guard let property = description.property(keyPath) else { return nil }
    let slot = property.slot(in: members) { type, row in
      let key = EntityDescription.of(type).key(in: identifier.storeIdentifier)
      return PersistentIdentifier(key, .row(row))
    }
    guard case .value(let cell) = slot else { return slot.targetIdentifier }
    // The value was just decoded, so that nobody else has it.
    return unsafeBitCast(cell.any as Any, to: (any Sendable).self)
  }

  static func == (left: Self, right: Self) -> Bool {
    left.identifier == right.identifier && left.transaction == right.transaction
      && left.index == right.index && left.change == right.change
  }

  func hash(into hasher: inout Hasher) {
    hasher.combine(identifier)
    hasher.combine(transaction)
    hasher.combine(index)
  }
}
