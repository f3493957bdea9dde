public import DepotClientCore
public import DepotProtocol

/// The records that have the same value of a property.
public struct RecordSection<Key: AttributeValue, Model: Record>: Sendable {
  public let key: Key
  public let records: [Model]
}

extension RecordSection {
  /// Returns the sections of records, for the result that came at their end.
  ///
  /// - Parameters:
  ///   - batch: The records.
  ///   - others: The records of the incomplete rows; `nil` for each that is left out.
  ///   - result: The result.
  /// - Returns: The sections in their order.
  /// - Throws: ``DepotError`` `request.type` if they aren't sections of these records.
  static func list(
    _ batch: RecordBatch<Model>,
    _ others: [Model?],
    _ result: JSONNode
  ) throws -> [RecordSection] {
    var reader = try JSONObjectReader(result)
    let list = try reader.required("sections")
    var sections: [RecordSection] = []
    var start = 0
    try list.document.bytes.withRows(
      at: list.range.lowerBound,
      RowReading(hasIdentity: false)
    ) { row in
      let key = try Key.read(from: &row)
      let end = start + (try row.next(Int.self))
      guard start <= end, end <= batch.count else {
        throw DepotError(.type, "The sections have more records than the service sent.")
      }
      let records = batch.records(in: start..<end, with: others)
      sections.append(RecordSection(key: key, records: records))
      start = end
    }
    return sections
  }
}
