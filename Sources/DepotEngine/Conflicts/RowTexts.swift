internal import DepotProtocol

/// The rows of a batch as JSON values, parsed at their first use.
@Memberwise("batch")
final class RowTexts {
  private let batch: RowBatch
  private var rows: [JSONNode]?

  /// Returns the values of a row.
  func values(_ row: Int) throws(DepotError) -> [JSONNode] {
    let rows = try parsed()
    guard rows.indices.contains(row) else {
      throw DepotError(.usage, "There is no row \(row).")
    }
    return try rows[row].elements()
  }

  /// Returns the values of a row by column name.
  func members(_ row: Int, _ columns: [String]) throws(DepotError) -> [String: JSONValue] {
    var result: [String: JSONValue] = [:]
    for (name, value) in zip(columns, try values(row)) { result[name] = try JSONValue(value) }
    return result
  }

  private func parsed() throws(DepotError) -> [JSONNode] {
    try rows.getOrInsert { () throws(DepotError) in
      try JSONDocument(batch.json, valueLimit: .max).root.elements()
    }
  }
}
