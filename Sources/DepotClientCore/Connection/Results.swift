public import DepotProtocol

/// The result of an insert.
public struct InsertResult: Hashable, Sendable {
  /// A row that couldn't be stored.
  public struct Reject: Hashable, Sendable {
    /// The position of the row in the request, counted from 0.
    public var row: Int
    public var error: DepotError
  }

  public var inserted = 0
  /// How many rows that were there already got new values.
  public var updated = 0
  /// How many rows were left out because another has the same unique value.
  public var skipped = 0
  /// The identifier of each row of the request, `nil` where it was rejected.
  public var identifiers: [Int64?] = []
  public var rejected: [Reject] = []
}

extension InsertResult {
  init(_ node: JSONNode) throws(DepotError) {
    var reader = try JSONObjectReader(node)
    inserted = try reader.optionalInt("inserted") ?? 0
    updated = try reader.optionalInt("updated") ?? 0
    skipped = try reader.optionalInt("skipped") ?? 0
    for element in try reader.optional("ids")?.elements() ?? [] {
      identifiers.append(element.isNull ? nil : try element.int64())
    }
    for element in try reader.optional("rejected")?.elements() ?? [] {
      var reject = try JSONObjectReader(element)
      let row = try reject.optionalInt("row") ?? 0
      rejected.append(Reject(row: row, error: try DepotError(reject.required("error"))))
    }
  }
}

/// The result of a definition of the schema.
public struct SchemaResult: Hashable, Sendable {
  public var isChanged: Bool
  /// A sentence for each change.
  public var changes: [String]
  /// The fingerprint of the schema that the store now has.
  public var fingerprint: String
  /// The version of that schema.
  public var version: SchemaVersion?
  /// Where the stores were copied before their rows were migrated, or would be.
  public var backups: [String]
  /// The plan of a dry run for each store: its `steps`, `problems`, `duplicates`,
  /// `violations`, and the `milliseconds` that it takes.
  public var plans: [JSONValue]

  /// Where the store was copied, if the container has only one.
  public var backup: String? { backups.first }
  /// The plan of a dry run, if the container has only one store.
  public var plan: JSONValue? { plans.first }
}

extension SchemaResult {
  init(_ node: JSONNode) throws(DepotError) {
    let value = try JSONValue(node)
    isChanged = value["changed"]?.bool ?? false
    changes = value["changes"]?.array?.compactMap(\.string) ?? []
    fingerprint = value["schema"]?.string ?? ""
    version = value["version"]?.string.flatMap { SchemaVersion($0) }
    // A container of several stores answers with lists.
    backups = value["backups"]?.array?.compactMap(\.string) ?? []
    backups += [value["backup"]?.string].compactMap(\.self)
    plans = value["plans"]?.array ?? [value["plan"]].compactMap(\.self)
  }
}

extension JSONNode {
  /// Reads a count from the member `name`.
  func count(_ name: StaticString) throws(DepotError) -> Int {
    var reader = try JSONObjectReader(self)
    return Int(try reader.required(name).int64())
  }

  /// Reads a truth value from the member `name`.
  func flag(_ name: StaticString) throws(DepotError) -> Bool {
    var reader = try JSONObjectReader(self)
    return try reader.required(name).bool()
  }
}
