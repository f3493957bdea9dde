internal import DepotProtocol

/// A conflict about a row, with the values of both sides.
@dynamicMemberLookup
struct RowConflict {
  /// Everything but the values.
  var facts: SaveConflict
  /// The values that the client has read.
  var base: [String: ConflictValue] = [:]
  /// The values of the store.
  var store: [String: ConflictValue] = [:]
  /// The values that the client wants.
  var client: [String: ConflictValue] = [:]

  init(_ facts: SaveConflict) { self.facts = facts }

  subscript<Fact>(dynamicMember path: WritableKeyPath<SaveConflict, Fact>) -> Fact {
    get { facts[keyPath: path] }
    set { facts[keyPath: path] = newValue }
  }

  /// Replaces large values by their lengths.
  mutating func shorten() {
    base = base.mapValues(\.shortened)
    store = store.mapValues(\.shortened)
    client = client.mapValues(\.shortened)
  }
}
