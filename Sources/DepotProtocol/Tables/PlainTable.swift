internal import FoundationEssentials

/// A table of another program's database, in a folder of tables.
///
/// The folder has `tables.json`, a list of descriptions, and for each table a file of NDJSON whose
/// lines are rows: arrays of values in the order of the columns. `depotd` converts SQLite files to
/// such folders and back, so that programs without SQLite can read and write them.
@Memberwise
package struct PlainTable: Hashable, Sendable {
  package var name: String
  package var columns: [Column]
  /// The name of the file with the rows.
  package var file: String
  /// Whether the key consists of all columns marked as keys, and rows have no other key.
  package var isJoin: Bool = false

  @Memberwise
  package struct Column: Hashable, Sendable {
    package var name: String
    /// The SQL type, such as INTEGER, REAL, TEXT, or BLOB.
    package var type: String
    /// Whether it is the table's key.
    package var isKey: Bool = false
    package var isRequired: Bool = false
    /// The table that it refers to; `nil` if it isn't a foreign key.
    package var references: String?
  }

  /// The name of the file with the descriptions.
  package static let list = "tables.json"
}

extension PlainTable {
  /// Reads a description.
  ///
  /// - Throws: ``DepotError`` `request.type` if it isn't valid.
  package init(_ value: JSONValue) throws(DepotError) {
    guard let name = value["name"]?.string, let file = value["file"]?.string,
      let columns = value["columns"]?.array
    else { throw DepotError(.type, "There is no description of a table.") }
    self.init(
      name: name,
      columns: try columns.map { (value) throws(DepotError) in try Column(value) },
      file: file,
      isJoin: value["join"]?.bool ?? false
    )
  }

  package var json: JSONValue {
    .object([
      "name": .string(name), "file": .string(file), "columns": .array(columns.map(\.json)),
      "join": .bool(isJoin),
    ])
  }
}

extension PlainTable.Column {
  init(_ value: JSONValue) throws(DepotError) {
    guard let name = value["name"]?.string, let type = value["type"]?.string else {
      throw DepotError(.type, "There is no description of a column.")
    }
    self.init(
      name: name,
      type: type,
      isKey: value["key"]?.bool ?? false,
      isRequired: value["required"]?.bool ?? false,
      references: value["references"]?.string
    )
  }

  var json: JSONValue {
    var members: [String: JSONValue] = [
      "name": .string(name), "type": .string(type), "key": .bool(isKey),
      "required": .bool(isRequired),
    ]
    members["references"] = references.map(JSONValue.string)
    return .object(members)
  }
}

/// A value in a row of a ``PlainTable``.
package enum PlainValue: Hashable, Sendable {
  case null
  case integer(Int64)
  case real(Double)
  case text(String)
  case data([UInt8])

  /// Reads a value in the form of the file.
  ///
  /// - Throws: ``DepotError`` `request.type` if it isn't valid.
  package init(_ value: JSONValue) throws(DepotError) {
    switch value {
    case .null: self = .null
    case .bool(let flag): self = .integer(flag ? 1 : 0)
    case .int64(let number): self = .integer(number)
    case .double(let number): self = .real(number)
    case .string(let text): self = .text(text)
    case .array: throw DepotError(.type, "A list is no value of a table.")
    case .object(let members):
      if let data = members["data"]?.string.flatMap({ Data(base64Encoded: $0) }) {
        self = .data(Array(data))
      } else if let number = members["real"]?.string.flatMap({ Double($0) }) {
        self = .real(number)
      } else {
        throw DepotError(.type, "An object is no value of a table.")
      }
    }
  }

  /// Writes the value in the form of the file.
  package func write(to writer: inout JSONWriter) {
    switch self {
    case .null: writer.raw("null")
    case .integer(let number): writer.integer(number)
    case .real(let number) where number.isFinite: writer.double(number)
    case .real(let number):
      writer.raw("{\"real\":")
      writer.string("\(number)")
      writer.raw("}")
    case .text(let text): writer.string(text)
    case .data(let bytes):
      writer.raw("{\"data\":")
      writer.write(Value.data(Data(bytes)))
      writer.raw("}")
    }
  }

  /// The whole number, or `nil`.
  package var integer: Int64? {
    switch self {
    case .integer(let number): number
    case .real(let number): Int64(exactly: number)
    default: nil
    }
  }

  /// The number, or `nil`.
  package var real: Double? {
    switch self {
    case .integer(let number): Double(number)
    case .real(let number): number
    default: nil
    }
  }

  package var text: String? { if case .text(let text) = self { text } else { nil } }

  package var data: [UInt8]? { if case .data(let bytes) = self { bytes } else { nil } }
}
