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
