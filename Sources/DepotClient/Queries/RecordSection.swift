public import DepotClientCore
public import DepotProtocol

/// The records that have the same value of a property.
public struct RecordSection<Key: AttributeValue, Model: Record>: Sendable {
  public let key: Key
  public let records: [Model]
}

extension RecordSection {
  /// Returns the sections of records, for the result that came at their end.
  static func list(_ records: [Model], _ result: JSONNode) throws -> [RecordSection] {
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
      guard start <= end, end <= records.count else {
        throw DepotError(.type, "The sections have more records than the service sent.")
      }
      sections.append(RecordSection(key: key, records: Array(records[start..<end])))
      start = end
    }
    return sections
  }
}
