internal import DepotProtocol
internal import DepotSQLite

/// The writing of a statement's rows as JSON, straight from SQLite's columns.
///
/// The statement selects the identifier and the version first. A statement whose rows are verified
/// selects the checksum and all stored columns of the entity's layout behind them.
struct RowReading {
  private let entity: EntityLayout
  private let outputs: [Output]
  /// The same without references, so that a value costs no counting of them.
  private let columns: [Column]
  private let check: Check

  /// One value of each row that is written.
  struct Output {
    var source: Source
    /// The path, for messages.
    var path: String

    enum Source {
      /// A column of the statement.
      case column(Int, ValueForm)
      /// A column with the number of the row's entity, of which its name is written.
      case entityName(Int)
      /// The same for all rows, with whole numbers as numbers and as strings.
      case constant(number: [UInt8], string: [UInt8])
    }
  }

  private struct Column {
    /// The column of the statement; -1 if it takes a closer look.
    var index: Int
    var form: ValueForm
  }

  private enum Check {
    case none
    /// The outputs are the stored columns in their order, which the checksum covers at these slots.
    case whileWriting(slots: [Int])
    case beforeWriting
  }

  /// - Parameters:
  ///   - entity: The entity of the rows, or an ancestor.
  ///   - outputs: What is written of each row after its identifier and version.
  ///   - isVerified: Whether the statement selects what the checksum covers.
  init(_ entity: EntityLayout, _ outputs: [Output], isVerified: Bool) {
    self.entity = entity
    self.outputs = outputs
    columns = outputs.map { output in
      guard case .column(let index, let form) = output.source else {
        return Column(index: -1, form: .json)
      }
      return Column(index: index, form: form)
    }
    let isStraight =
      outputs.count == entity.stored.count
      && outputs.enumerated().allSatisfy { index, output in
        if case .column(index + 3, _) = output.source { true } else { false }
      }
    check = !isVerified ? .none : isStraight ? .whileWriting(slots: entity.slots) : .beforeWriting
  }

  /// Writes the current row of the statement.
  ///
  /// - Throws: ``DepotError`` `storage.corrupt` or `storage.invalid_text` if the row is damaged.
  func write(
    _ row: borrowing Row,
    int64 form: Hello.Int64Form,
    to writer: inout JSONWriter
  ) throws(DepotError) {
    let identifier = row.integer(0)
    let version = row.integer(1)
    if case .beforeWriting = check { try entity.verify(row) }
    writer.bytes.append(UInt8(ascii: "["))
    writer.integer(identifier, as: form)
    writer.bytes.append(UInt8(ascii: ","))
    writer.integer(version, as: form)
    if case .whileWriting(let slots) = check {
      var checksum = RowChecksum(identifier: identifier, version: version)
      for index in 0..<outputs.count {
        try write(row, index, slot: slots[index], form, &checksum, to: &writer)
      }
      guard checksum.value == row.integer(2) else {
        throw corrupt(row, "Its checksum doesn't match.")
      }
    } else {
      var unused = RowChecksum(identifier: 0, version: 0)
      for index in 0..<outputs.count { try write(row, index, slot: 0, form, &unused, to: &writer) }
    }
    writer.bytes.append(UInt8(ascii: "]"))
  }

  @inline(__always)
  private func write(
    _ row: borrowing Row,
    _ index: Int,
    slot: Int,
    _ form: Hello.Int64Form,
    _ checksum: inout RowChecksum,
    to writer: inout JSONWriter
  ) throws(DepotError) {
    writer.bytes.append(UInt8(ascii: ","))
    let column = columns[index].index
    let value = columns[index].form
    guard column >= 0 else { return try writeRare(row, index, form, to: &writer) }
    switch row.kind(column) {
    case .null:
      writer.raw("null")
    case .integer:
      let number = row.integer(column)
      checksum.add(number, at: slot)
      switch value {
      case .scalar(.int64): writer.integer(number, as: form)
      case .scalar(.bool): writer.bool(number != 0)
      default: throw unexpected(row, index)
      }
    case .real:
      let number = row.real(column)
      checksum.add(number, at: slot)
      switch value {
      case .scalar(.double), .float: writer.double(number)
      case .scalar(.date): DateText.write(number, to: &writer)
      default: throw unexpected(row, index)
      }
    case .text:
      let text = row.textBytes(column)
      checksum.add(text: text, at: slot)
      guard UTF8Sequence.isValid(text) else { throw invalidText(row, index) }
      switch value {
      case .scalar(.string), .scalar(.url): writer.string(utf8: text)
      case .list(.int64, _, _): writer.integers(text, as: form)
      case .list, .json: writer.raw(text)
      default: throw unexpected(row, index)
      }
    case .blob:
      let bytes = row.blobBytes(column)
      checksum.add(blob: bytes, at: slot)
      guard Self.write(blob: bytes, as: value, to: &writer) else { throw unexpected(row, index) }
    }
  }

  private func writeRare(
    _ row: borrowing Row,
    _ index: Int,
    _ form: Hello.Int64Form,
    to writer: inout JSONWriter
  ) throws(DepotError) {
    switch outputs[index].source {
    case .column: break
    case .entityName(let column):
      guard let name = entity.numbers[Int(row.integer(column))] else {
        throw unexpected(row, index)
      }
      writer.string(name)
    case .constant(let number, let string): writer.raw(form == .string ? string : number)
    }
  }

  /// Writes a blob; returns false if `form` has no such blobs.
  private static func write(
    blob bytes: UnsafeBufferPointer<UInt8>,
    as form: ValueForm,
    to writer: inout JSONWriter
  ) -> Bool {
    switch form {
    case .scalar(.data):
      writer.base64(bytes)
    case .scalar(.uuid) where bytes.count == 16:
      writer.uuid(bytes)
    case .scalar(.decimal):
      guard let value = DecimalKey.decode(bytes) else { return false }
      writer.write(.decimal(value))
    case .scalar(.double) where bytes.isEmpty, .float where bytes.isEmpty:
      writer.double(.nan)
    case .scalar(.date) where bytes.isEmpty:
      DateText.write(.nan, to: &writer)
    default:
      return false
    }
    return true
  }

  private func unexpected(_ row: borrowing Row, _ index: Int) -> DepotError {
    corrupt(row, "Its \(outputs[index].path) isn't stored as its type is.")
  }

  private func corrupt(_ row: borrowing Row, _ message: String) -> DepotError {
    DepotError(.corrupt, "\(entity.name)/\(row.integer(0)) is damaged. \(message)")
      .hint("Restore the store from a backup, or delete the row.")
  }

  private func invalidText(_ row: borrowing Row, _ index: Int) -> DepotError {
    DepotError(
      .invalidText,
      "\(outputs[index].path) of \(entity.name)/\(row.integer(0)) isn't valid UTF-8."
    ).hint("Restore the store from a backup, or delete the row.")
  }
}
