internal import DepotProtocol
internal import DepotSQLite

/// Writes a statement's rows as JSON, directly from SQLite's columns.
struct RowWriting {
  /// The entity, for messages; `nil` for computed rows, such as those of groups.
  private let entity: EntityLayout?
  private let columns: [RowColumn]
  /// The columns without object references, so that no references are counted.
  private let values: [Column]
  private let hasIdentity: Bool
  /// The names of the entities by their numbers, as JSON.
  private let entityNames: [Int64: [UInt8]]

  private struct Column {
    /// The index among all written columns.
    var position: Int
    var index: Int
    var form: RowColumn.Form
    var isSum: Bool
  }

  private static func values(_ columns: [RowColumn]) -> [Column] {
    columns.enumerated().map {
      Column(position: $0, index: $1.index, form: $1.form, isSum: $1.isSum)
    }
  }

  init(_ shape: RowShape) {
    entity = shape.layout
    let columns = shape.columns
    self.columns = columns
    values = Self.values(columns)
    hasIdentity = shape.hasIdentity
    let namesEntity = columns.contains { $0.form == .entity }
    entityNames = Dictionary(
      uniqueKeysWithValues: (namesEntity ? shape.layout.numbers : [:]).map { number, name in
        (Int64(number), Array("\"\(name)\"".utf8))
      }
    )
  }

  /// Prepares rows, which start with their identifier and version if they are an entity's.
  init(_ layout: EntityLayout? = nil, columns: [RowColumn]) {
    entity = layout
    self.columns = columns
    values = Self.values(columns)
    hasIdentity = layout != nil
    entityNames = [:]
  }

  /// Writes the current row of a statement, after skipping `offset` columns.
  ///
  /// - Throws: ``DepotError`` `limit.frame_bytes` as soon as the row is larger than `limit` bytes.
  func write(
    _ row: borrowing Row,
    from offset: Int = 0,
    int64 form: Int64Form,
    limit: Int = .max,
    to writer: inout JSONWriter
  ) throws(DepotError) {
    try withUnsafeTemporaryAllocation(of: UInt8.self, capacity: JSONPiece.capacity) {
      (memory) throws(DepotError) in
      var piece = JSONPiece(in: memory)
      try write(row, from: offset, int64: form, limit: limit, &piece, to: &writer)
      piece.move(to: &writer)
    }
  }

  /// Writes the current row as the function above does, to a piece that may have other rows.
  func write(
    _ row: borrowing Row,
    from offset: Int = 0,
    int64 form: Int64Form,
    limit: Int = .max,
    _ piece: inout JSONPiece,
    to writer: inout JSONWriter
  ) throws(DepotError) {
    let start = writer.bytes.count + piece.count
    var delimiter = UInt8(ascii: "[")
    if hasIdentity {
      write(row.integer(offset), after: delimiter, form, &piece, to: &writer)
      delimiter = UInt8(ascii: ",")
      write(row.integer(offset + 1), after: delimiter, form, &piece, to: &writer)
    }
    for index in 0..<values.count {
      try write(row, offset, values[index], after: delimiter, form, &piece, to: &writer)
      delimiter = UInt8(ascii: ",")
      guard writer.bytes.count + piece.count - start <= limit else { throw tooLarge }
    }
    if delimiter == UInt8(ascii: "[") { piece.byte(delimiter, to: &writer) }
    piece.byte(UInt8(ascii: "]"), to: &writer)
  }

  @inline(__always)
  private func write(
    _ value: Int64,
    after delimiter: UInt8,
    _ form: Int64Form,
    _ piece: inout JSONPiece,
    to writer: inout JSONWriter
  ) {
    if case .number = form { return piece.integer(value, after: delimiter, to: &writer) }
    piece.byte(delimiter, to: &writer)
    piece.move(to: &writer)
    writer.integer(value, as: form)
  }

  /// Writes a value: to the piece if it has a frequent form, otherwise directly.
  @inline(__always)
  private func write(
    _ row: borrowing Row,
    _ offset: Int,
    _ column: Column,
    after delimiter: UInt8,
    _ form: Int64Form,
    _ piece: inout JSONPiece,
    to writer: inout JSONWriter
  ) throws(DepotError) {
    let content = row.content(offset + column.index)
    switch (content, column.form) {
    case (.integer(let value), .scalar(.int64)):
      write(value, after: delimiter, form, &piece, to: &writer)
    case (.integer(let value), .scalar(.bool)):
      piece.byte(delimiter, to: &writer)
      piece.raw(value != 0 ? "true" : "false", to: &writer)
    case (.real(let value), .scalar(.double)):
      piece.double(value, after: delimiter, to: &writer)
    case (.text(let text), .scalar(.string)):
      guard piece.string(utf8: text, after: delimiter, to: &writer) else {
        throw invalidText(row, offset, column)
      }
    default:
      piece.byte(delimiter, to: &writer)
      if case .null = content, !column.isSum {
        return piece.raw(column.form == .identifiers ? "[]" : "null", to: &writer)
      }
      piece.move(to: &writer)
      try write(content, row, offset, column, form, to: &writer)
    }
  }

  private func write(
    _ content: Row.Content,
    _ row: borrowing Row,
    _ offset: Int,
    _ column: Column,
    _ form: Int64Form,
    to writer: inout JSONWriter
  ) throws(DepotError) {
    switch content {
    case .null: throw overflow(column)
    case .integer(let value):
      switch column.form {
      // An expression may return an integer for a double.
      case .scalar(.double): writer.double(Double(value))
      case .entity:
        guard let name = entityNames[value] else { throw unexpected(row, offset, column) }
        writer.raw(name)
      default:
        guard column.form.write(value, form, to: &writer) else {
          throw unexpected(row, offset, column)
        }
      }
    case .real(let value):
      guard column.form.write(value, to: &writer) else { throw unexpected(row, offset, column) }
    case .text(let text):
      guard UTF8Sequence.isValid(text) else { throw invalidText(row, offset, column) }
      guard column.form.write(text: text, form, to: &writer) else {
        throw unexpected(row, offset, column)
      }
    case .blob(let bytes):
      guard column.form.write(blob: bytes, to: &writer) else {
        throw unexpected(row, offset, column)
      }
    }
  }

  private var tooLarge: DepotError {
    DepotError(.frameTooLarge, "A row of \(entity?.name ?? "the result") is too large for a frame.")
      .hint("Select fewer attributes.")
  }

  private func overflow(_ column: Column) -> DepotError {
    DepotError(
      .overflow,
      "The sum \(columns[column.position].name) is beyond the numbers of its type."
    )
    .hint("Convert whole numbers to double before adding them up, or divide the values first.")
  }

  private func unexpected(
    _ row: borrowing Row,
    _ offset: Int,
    _ column: Column
  ) -> DepotError {
    columns[column.position].unexpectedValue(in: name(of: row, offset))
  }

  private func invalidText(
    _ row: borrowing Row,
    _ offset: Int,
    _ column: Column
  ) -> DepotError {
    columns[column.position].invalidText(in: name(of: row, offset))
  }

  private func name(of row: borrowing Row, _ offset: Int) -> String {
    guard let entity else { return "A group" }
    return hasIdentity ? "\(entity.name)/\(row.integer(offset))" : "A row of \(entity.name)"
  }
}
