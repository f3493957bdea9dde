internal import DepotClientCore
internal import DepotProtocol

/// `depot schema versions`: the schemas that the store had.
enum SchemaVersionsVerb {
  static let verb = Verb(
    name: "schema versions",
    operands: .init("[NUMBER]", 0...1),
    summary: "list the schemas that the store had, or show one of them",
    details: """
      The present schema is the first. Each has a number, which depot schema diff takes, the transaction \
      that applied it, its time, and who it was. The last 100 schemas are kept, however long the history \
      is. With a number, that schema is written in the form that depot schema apply reads. Each store of a
      container with several has numbers of its own.
      """,
    examples: ["depot schema versions", "depot schema versions 3 > earlier.schema.json"],
    options: [.store]
  ) { session in
    if let operand = session.invocation.operands.first {
      let schema = try schema(number(operand), session)
      return session.output.append(PrettyJSON.text(of: schema.json) + "\n")
    }
    let connection = try session.connect()
    let one = session.invocation.value(.store)
    let stores = try one.map { [$0] } ?? connection.openStores().map(\.name)
    let versions = try stores.flatMap { store in
      let versions = try connection.schemaVersions(store: store)["versions"]?.array ?? []
      return stores.count > 1 ? versions.map { named($0, store) } : versions
    }
    if versions.isEmpty, session.format.isTable { return session.say(SchemaShowVerb.noEntities) }
    let names =
      (stores.count > 1 ? ["store"] : [])
      + ["number", "version", "at", "author", "process", "token"]
    let rows = versions.map { version in
      names.map { name in
        if name == "number" { return TableCell.number("\(version[name]?.int64 ?? 0)") }
        return TableCell(text: version[name]?.string ?? "")
      }
    }
    try session.write(.array(versions), orTable: names, rows)
  }

  /// Returns a version with the name of its store.
  private static func named(_ version: JSONValue, _ store: String) -> JSONValue {
    var members = version.object ?? [:]
    members["store"] = .string(store)
    return .object(members)
  }

  /// Returns the schema of a number, with original names of an earlier one if that is named.
  static func schema(
    _ number: Int64,
    since: Int64? = nil,
    _ session: CommandSession
  ) throws -> Schema {
    let store = session.invocation.value(.store)
    let answer = try session.connect().schemaVersions(number: number, since: since, store: store)
    return try Schema(parsing: (answer["schema"] ?? .null).text.utf8)
  }

  /// Returns the number of a schema that was typed.
  static func number(_ text: String) throws -> Int64 {
    if let number = Int64(text), number > 0 { return number }
    throw DepotError(.usage, "\(text.quoted) isn't the number of a schema.")
      .hint("depot schema versions lists them.")
  }
}
