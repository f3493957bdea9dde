internal import Foundation

/// The key paths of subclasses to properties that they inherit.
///
/// `\BusinessTrip.title` and `\Trip.title` are different, and neither says which property it is.
/// Therefore an unread object is asked for the value, and records the property that it lacks.
extension EntityDescription {
  /// Returns the inherited property that a key path of the class leads to; `nil` if it leads to none, or
  /// to a computed one.
  func inheritedProperty(_ keyPath: AnyKeyPath) -> PropertyDescription? {
    let types = Swift.type(of: keyPath)
    guard let parent, types.rootType == type else { return nil }
    let link = makeObject(PersistentIdentifier(temporaryKey, .row(0)))
    _ = (link.model as Any)[keyPath: keyPath]
    let unread = Array(link.storage.unread)
    guard unread.count == 1, let slot = unread.first, slot < parent.properties.count
    else { return nil }
    let property = parent.properties[slot]
    guard Swift.type(of: property.keyPath).valueType == types.valueType else { return nil }
    guard let codec = property.codec else { return property }
    // A computed property may happen to return one value unchanged, but not both.
    let isStored = (0..<2).allSatisfy { round in
      let given = property.probe(types.valueType, round)
      link.storage.slots[slot] = .value(any: given)
      return (link.model as Any)[keyPath: keyPath].map { codec.areEqual($0, given) } ?? true
    }
    return isStored ? property : nil
  }
}

extension PropertyDescription {
  /// Returns a value that differs from usual ones, another one in each round.
  fileprivate func probe<Value>(_: Value.Type, _ round: Int) -> Any {
    let candidates: [Any] = [
      "aB\(round)", 4_711 + round, Double(round) + 0.25, round == 0,
      Date(timeIntervalSinceReferenceDate: Double(round) + 0.5), UUID(), Data([7, UInt8(round)]),
    ]
    return candidates.lazy.compactMap { $0 as? Value }.first ?? placeholder(Value.self)
  }
}
