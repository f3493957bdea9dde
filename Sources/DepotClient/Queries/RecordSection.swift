public import DepotClientCore
public import DepotProtocol
internal import FoundationEssentials
internal import FoundationInternationalization

/// The records that have the same value of a property.
public struct RecordSection<Key: AttributeValue, Model: Record>: Sendable {
  public let key: Key
  public let records: [Model]
}

/// The reading of records in sections.
struct SectionReading<Key: AttributeValue, Model: Record> {
  private(set) var request: FetchRequest
  private var records: [Model] = []

  init(
    by keyPath: any KeyPath<Model, Key> & Sendable,
    _ predicate: Predicate<Model>?,
    _ sort: [SortDescriptor<Model>],
    _ prefetch: [any PartialKeyPath<Model> & Sendable]
  ) throws(DepotError) {
    request = try FetchRequest(Model.self, where: predicate, sortBy: sort, prefetch: prefetch)
    request.sectionBy = try Model.property(keyPath).path
  }

  /// Reads a row.
  mutating func append(_ row: inout RowReader) throws {
    records.append(try Model(from: &row))
  }

  /// Returns the sections, once all rows were read, for the result that came at their end.
  func sections(_ result: JSONNode) throws -> [RecordSection<Key, Model>] {
    var reader = try JSONObjectReader(result)
    let list = try reader.required("sections")
    var sections: [RecordSection<Key, Model>] = []
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
