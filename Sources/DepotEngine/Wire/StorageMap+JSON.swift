internal import DepotProtocol

/// The form of the map in the catalog, which stands beside the schema's JSON.
extension StorageMap {
  /// Parses a map in the form of ``json``; `nil` if it is damaged.
  init?(parsing text: String) {
    guard let value = try? JSONValue(parsing: text.utf8),
      let entities = value["entities"]?.object, let next = value["next"]?.int64
    else { return nil }
    self.init(
      numbers: entities.compactMapValues { $0.int64.map { Int($0) } },
      nextNumber: Int(next),
      widened: Set(value["widened"]?.array?.compactMap(\.string) ?? [])
    )
  }

  /// The map as compact JSON.
  var json: String {
    var members: [String: JSONValue] = [
      "entities": .object(numbers.mapValues { .int64(Int64($0)) }),
      "next": .int64(Int64(nextNumber)),
    ]
    if !widened.isEmpty { members["widened"] = .array(widened.sorted().map(JSONValue.string)) }
    return JSONValue.object(members).text
  }
}
