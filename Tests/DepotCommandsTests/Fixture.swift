import DepotProtocol

@testable import DepotCommands

/// Entities and streams of rows for the tests.
enum Fixture {
  /// An entity with an attribute of each type.
  static let everything = Entity(
    name: "Everything",
    attributes: [
      Attribute(name: "text", type: .string, isOptional: true),
      Attribute(name: "int", type: .int64, isOptional: true, defaultValue: .int64(7)),
      Attribute(name: "number", type: .double, isOptional: true),
      Attribute(name: "flag", type: .bool, isOptional: true),
      Attribute(name: "date", type: .date, isOptional: true),
      Attribute(name: "uuid", type: .uuid, isOptional: true),
      Attribute(name: "blob", type: .data, isOptional: true),
      Attribute(name: "decimal", type: .decimal, isOptional: true),
      Attribute(name: "link", type: .url, isOptional: true),
    ]
  )

  /// A small entity.
  static let package = Entity(
    name: "Package",
    attributes: [
      Attribute(name: "name", type: .string),
      Attribute(name: "size", type: .int64, isOptional: true),
      Attribute(name: "isFree", type: .bool, isOptional: true),
    ]
  )

  /// Prints the rows of a JSON text and returns the output.
  static func print(_ rows: String, columns: [String], _ style: RowStyle) throws -> String {
    var output: [UInt8] = []
    let sink = ByteSink { output.append(contentsOf: $0) }
    let printer = style.printer(to: sink)
    try printer.begin(columns: ["$id", "$version"] + columns)
    try Array(rows.utf8).withUnsafeBufferPointer { bytes in
      var reader = try RowReader(bytes)
      while try reader.beginRow() {
        try reader.readIdentity()
        try printer.print(&reader)
        try reader.endRow()
      }
    }
    try printer.end()
    try sink.flush()
    return String(decoding: output, as: UTF8.self)
  }
}
