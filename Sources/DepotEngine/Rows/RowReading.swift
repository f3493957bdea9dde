internal import DepotProtocol
internal import DepotSQLite

/// The writing of a statement's rows as JSON, straight from SQLite's columns.
struct RowReading {
  /// The entity, whose name messages begin with; `nil` for rows that are made from others.
  private let entity: EntityLayout?
  private let columns: [RowColumn]
  /// The columns without references, so that a value costs no counting of them.
  private let values: [Column]
  private let hasIdentity: Bool
  /// The slots of the stored columns, which begin at ``checksumColumn`` + 1, if all of them are read.
  private let slots: [Int]?
  /// Whether the columns are the stored ones in their order, so that one pass writes and verifies.
  private let isStraight: Bool
  /// The names of the entities by their numbers, as JSON.
  private let entityNames: [Int64: [UInt8]]

  private static let checksumColumn = 2

  private struct Column {
    /// The place among all columns that are written.
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
    slots = shape.isFull ? shape.layout.slots : nil
    isStraight =
      shape.isFull && columns.count == shape.layout.stored.count
      && columns.indices.allSatisfy { columns[$0].index == $0 + Self.checksumColumn + 1 }
    let namesEntity = columns.contains { $0.form == .entity }
    entityNames = Dictionary(
      uniqueKeysWithValues: (namesEntity ? shape.layout.numbers : [:]).map { number, name in
        (Int64(number), Array("\"\(name)\"".utf8))
      }
    )
  }

  /// Reads rows that aren't those of an entity.
  init(columns: [RowColumn]) {
    entity = nil
    self.columns = columns
    values = Self.values(columns)
    hasIdentity = false
    slots = nil
    isStraight = false
    entityNames = [:]
  }

  /// Reads full rows, of which only some columns are written.
  init(full layout: EntityLayout, columns: [RowColumn]) {
    entity = layout
    self.columns = columns
    values = Self.values(columns)
    hasIdentity = true
    slots = layout.slots
    isStraight = false
    entityNames = [:]
  }

  /// Writes the current row of a statement.
  ///
  /// - Parameters:
  ///   - row: The row.
  ///   - offset: How many columns are before those of the shape.
  ///   - form: How the client wants integers.
  ///   - writer: What takes the row.
  /// - Throws: ``DepotError`` `storage.corrupt` or `storage.invalid_text` if the row is damaged.
  func write(
    _ row: borrowing Row,
    from offset: Int = 0,
    int64 form: Hello.Int64Form,
    to writer: inout JSONWriter
  ) throws(DepotError) {
    writer.bytes.append(UInt8(ascii: "["))
    var checksum = RowChecksum(identifier: 0, version: 0)
    if hasIdentity {
      let identifier = row.integer(offset)
      let version = row.integer(offset + 1)
      writer.integer(identifier, as: form)
      writer.bytes.append(UInt8(ascii: ","))
      writer.integer(version, as: form)
      checksum = RowChecksum(identifier: identifier, version: version)
      if let slots, !isStraight { try verify(row, offset, slots, checksum) }
    }
    for index in 0..<values.count {
      if hasIdentity || index > 0 { writer.bytes.append(UInt8(ascii: ",")) }
      let slot = isStraight ? slots?[index] ?? 0 : 0
      try write(row, offset, values[index], slot, form, &checksum, to: &writer)
    }
    if isStraight, checksum.value != row.integer(offset + Self.checksumColumn) {
      throw corrupt(row, offset, "Its checksum doesn't match.")
    }
    writer.bytes.append(UInt8(ascii: "]"))
  }

  private func verify(
    _ row: borrowing Row,
    _ offset: Int,
    _ slots: [Int],
    _ start: RowChecksum
  ) throws(DepotError) {
    var checksum = start
    let first = offset + Self.checksumColumn + 1
    for (place, slot) in slots.enumerated() { checksum.add(Cell(row, first + place), at: slot) }
    guard checksum.value == row.integer(offset + Self.checksumColumn) else {
      throw corrupt(row, offset, "Its checksum doesn't match.")
    }
  }

  @inline(__always)
  private func write(
    _ row: borrowing Row,
    _ offset: Int,
    _ column: Column,
    _ slot: Int,
    _ form: Hello.Int64Form,
    _ checksum: inout RowChecksum,
    to writer: inout JSONWriter
  ) throws(DepotError) {
    let index = offset + column.index
    switch row.kind(index) {
    case .null:
      if column.isSum { throw overflow(column) }
      if column.form == .identifiers { writer.raw("[]") } else { writer.raw("null") }
    case .integer:
      let value = row.integer(index)
      checksum.add(value, at: slot)
      switch column.form {
      // Expressions may give a whole number for a double.
      case .scalar(.double) where slots == nil: writer.double(Double(value))
      case .entity:
        guard let name = entityNames[value] else { throw unexpected(row, offset, column) }
        writer.raw(name)
      default:
        guard column.form.write(value, form, to: &writer) else {
          throw unexpected(row, offset, column)
        }
      }
    case .real:
      let value = row.real(index)
      checksum.add(value, at: slot)
      guard column.form.write(value, to: &writer) else { throw unexpected(row, offset, column) }
    case .text:
      let text = row.textBytes(index)
      checksum.add(text: text, at: slot)
      guard UTF8Sequence.isValid(text) else { throw invalidText(row, offset, column) }
      guard column.form.write(text: text, form, to: &writer) else {
        throw unexpected(row, offset, column)
      }
    case .blob:
      let bytes = row.blobBytes(index)
      checksum.add(blob: bytes, at: slot)
      guard column.form.write(blob: bytes, to: &writer) else {
        throw unexpected(row, offset, column)
      }
    }
  }

  private func overflow(_ column: Column) -> DepotError {
    DepotError(
      .overflow,
      "The sum \(columns[column.position].name) is beyond the numbers of its type."
    )
    .hint("Convert the values to double before adding them up.")
  }

  private func unexpected(
    _ row: borrowing Row,
    _ offset: Int,
    _ column: Column
  ) -> DepotError {
    corrupt(row, offset, "Its \(columns[column.position].name) isn't stored as its type is.")
  }

  private func corrupt(_ row: borrowing Row, _ offset: Int, _ message: String) -> DepotError {
    DepotError(.corrupt, "\(name(of: row, offset)) is damaged. \(message)")
      .hint("Restore the store from a backup, or delete the row.")
  }

  private func invalidText(
    _ row: borrowing Row,
    _ offset: Int,
    _ column: Column
  ) -> DepotError {
    DepotError(
      .invalidText,
      "\(columns[column.position].name) of \(name(of: row, offset)) isn't valid UTF-8."
    )
    .hint("Restore the store from a backup, or delete the row.")
  }

  private func name(of row: borrowing Row, _ offset: Int) -> String {
    guard let entity else { return "A group" }
    return hasIdentity ? "\(entity.name)/\(row.integer(offset))" : "A row of \(entity.name)"
  }
}
