import DepotClient
import DepotProtocol

extension Schema {
  /// An entity "Item" with a name and a text; "more" is added later.
  static func items(more: Bool = false) -> Schema {
    var attributes = [
      Attribute(name: "name", type: .string, isIndexed: true),
      Attribute(name: "text", type: .string, isOptional: true),
    ]
    if more { attributes.append(Attribute(name: "more", type: .int64, isOptional: true)) }
    return Schema(entities: [Entity(name: "Item", attributes: attributes)])
  }
}

extension BlockingConnection {
  /// Inserts rows of one name, with the name as the idempotency key.
  func put(_ name: String, rows: Int = 1, bytes: Int = 10) throws {
    let text = Value.string(String(repeating: "x", count: bytes))
    let batch = RowBatch(Array(repeating: [.string(name), text], count: rows))
    try insert(
      InsertRequest(entity: "Item", columns: ["name", "text"], rows: batch),
      key: "key-" + name
    )
  }

  /// How many rows there are of each name.
  func names() throws -> [String: Int] {
    var found: [String: Int] = [:]
    try fetch(FetchRequest(entity: "Item", select: ["name"])) { row in
      found[try row.field().text, default: 0] += 1
    }
    return found
  }

  /// Inserts a row, and notes what the service said about it.
  ///
  /// - Returns: The error, if any.
  @discardableResult
  func put(_ name: String, in ledger: inout Ledger, bytes: Int = 10) -> DepotError? {
    do {
      try put(name, bytes: bytes)
      ledger.note(name, .acknowledged)
      return nil
    } catch let error as DepotError {
      ledger.note(name, error.effect == .none ? .refused : .unknown)
      return error
    } catch {
      ledger.note(name, .unknown)
      return DepotError(.bug, "\(error)")
    }
  }
}
