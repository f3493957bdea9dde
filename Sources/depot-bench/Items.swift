import DepotClient
import DepotProtocol

/// The rows of the benchmark: six attributes of four types.
struct Item: Sendable {
  var identifier: Int64
  var name: String
  var section: String
  var size: Int64
  var score: Double
  var isEssential: Bool
  var note: String?

  init(_ number: Int) {
    identifier = Int64(number)
    name = "package-\(number)"
    section = "section-\(number % 57)"
    size = Int64(truncatingIfNeeded: (number &* 7919) % 1_000_003)
    score = Double(number % 1000) / 8
    isEssential = number % 10 == 0
    note = number % 3 == 0 ? nil : "a short note about number \(number)"
  }

  init(from row: inout RowReader) throws(DepotError) {
    identifier = row.identifier
    name = try row.next()
    section = try row.next()
    size = try row.next()
    score = try row.next()
    isEssential = try row.next()
    note = try row.next()
  }

  static let columns = ["name", "section", "size", "score", "isEssential", "note"]

  static let schema = schema(keeping: nil)

  /// Returns the schema with a history policy for items; the default policy if `nil`.
  static func schema(keeping history: HistoryPolicy?) -> Schema {
    Schema(entities: [
      Entity(
        name: entity,
        attributes: [
          Attribute(name: "name", type: .string),
          Attribute(name: "section", type: .string),
          Attribute(name: "size", type: .int64),
          Attribute(name: "score", type: .double),
          Attribute(name: "isEssential", type: .bool),
          Attribute(name: "note", type: .string, isOptional: true),
        ],
        history: history
      )
    ])
  }

  func write(to row: inout RowWriter) {
    row.append(name)
    row.append(section)
    row.append(size)
    row.append(score)
    row.append(isEssential)
    row.append(note)
  }

  /// Returns the request that inserts the items with these numbers.
  static func insertion(_ numbers: Range<Int>) -> InsertRequest {
    var rows = RowBatch()
    for number in numbers { rows.appendRow { Item(number).write(to: &$0) } }
    return InsertRequest(entity: entity, columns: columns, rows: rows)
  }

  /// Fills a service with `count` items.
  static func fill(
    _ connection: BlockingConnection,
    _ count: Int,
    keeping history: HistoryPolicy? = nil
  ) throws {
    try connection.define(schema(keeping: history))
    for start in stride(from: 1, through: count, by: 10_000) {
      try connection.insert(insertion(start..<min(start + 10_000, count + 1)))
    }
  }
}

extension Item: Record {
  static let entity = "Item"
  static let attributes: RecordAttributes<Item> = [
    .init(\.name, "name"), .init(\.section, "section"), .init(\.size, "size"),
    .init(\.score, "score"), .init(\.isEssential, "isEssential"), .init(\.note, "note"),
  ]
}
