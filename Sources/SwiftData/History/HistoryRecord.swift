internal import DepotClient
internal import DepotProtocol

/// A change of the history, as the service told it, with what the program knows of the object's class.
struct HistoryRecord: Hashable, Sendable {
  let description: EntityDescription
  let identifier: PersistentIdentifier
  /// The number of the transaction, and of the change in it.
  let transaction: Int64
  let index: Int
  let change: DepotClient.HistoryChange

  /// The properties that changed.
  var properties: [PropertyDescription] {
    var names: [String] = []
    for path in change.properties {
      let name = String(path.prefix { $0 != "." })
      if !names.contains(name) { names.append(name) }
    }
    return names.compactMap(description.property(named:))
  }

  /// Returns the value that a property has among values of the wire.
  func value(_ keyPath: AnyKeyPath, in members: [String: JSONValue]) -> (any Sendable)? {
    guard let property = description.property(keyPath) else { return nil }
    switch property.kind {
    case .attribute:
      guard let value = property.attributeValue(in: members) else { return nil }
      // It was just made of what was read, so that nobody else has it.
      return unsafeBitCast(value as Any, to: (any Sendable).self)
    case .toOne(let type, _):
      guard let row = members[property.name]?.int64 else { return nil }
      return identifier.sibling(EntityDescription.of(type), row)
    case .toMany: return nil
    }
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
