internal import DepotProtocol
internal import DepotSQLite

/// Answers requests for the schemas that a store had and has, from one snapshot.
struct SchemaVersionsAnswer {
  let connection: Connection
  let catalog: Catalog

  /// Returns the list of all, or the entry of a number with its schema.
  ///
  /// - Throws: ``DepotError`` `notfound.schema` if there is no schema of the number.
  func result(_ number: Int64?) throws -> JSONValue {
    let versions = SchemaVersions(connection: connection)
    let found = try versions.all(number, present: catalog)
    let bounds = try HistoryBounds(on: connection)
    var members: [String: JSONValue] = ["versions": .array(found.map { $0.json(bounds) })]
    if let number {
      guard let schema = try versions.schema(number, present: catalog) else {
        throw DepotError(.schemaNotFound, "The store has kept no schema number \(number).")
          .hint("Without a number, those that it has are listed.").at("/args/number")
      }
      members["schema"] = try JSONValue(parsing: schema.json.utf8)
    }
    return .object(members)
  }
}

extension SchemaVersions.Version {
  fileprivate func json(_ bounds: HistoryBounds) -> JSONValue {
    var members: [String: JSONValue] = [
      "number": .int64(number), "fingerprint": .string(fingerprint),
    ]
    members["token"] = token.map { .string(bounds.token($0).description) }
    members["at"] = date.map { JSONValue(date: $0) }
    members["author"] = author.map(JSONValue.string)
    members["process"] = process.map(JSONValue.string)
    members["version"] = version.map(JSONValue.string)
    return .object(members)
  }
}
