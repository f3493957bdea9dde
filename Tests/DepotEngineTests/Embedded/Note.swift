import DepotClient
import DepotEmbedded
import DepotProtocol

/// The record of the tests' schema; names aren't unique, so that one that is stored twice shows.
struct Note: Record, Hashable {
  var id: Identifier<Note>?
  var version: Int64 = 0
  var name: String

  static let entity = "Note"
  static let attributes: RecordAttributes<Note> = [
    .identifier(\.id), .version(\.version), .init(\.name, "name"),
  ]

  static let schema = Schema(entities: [
    Entity(name: "Note", attributes: [Attribute(name: "name", type: .string)])
  ])

  init(_ name: String) { self.name = name }

  init(from row: inout RowReader) throws(DepotError) {
    id = Identifier(row.identifier)
    version = row.version
    name = try row.next()
  }

  func write(to row: inout RowWriter) { row.append(name) }
}

extension StoreAccess {
  /// Opens a store with a schema.
  convenience init(_ location: Location, schema: Schema) throws {
    try self.init(location)
    try connect().define(schema)
  }
}

extension BlockingConnection {
  /// The names of all notes, in order.
  func names() throws -> [String] { try fetch(Note.self).map(\.name).sorted() }
}
