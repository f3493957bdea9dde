internal import DepotProtocol

/// One row of a CSV file.
struct DelimitedRecord: Equatable {
  struct Field: Equatable {
    var bytes: [UInt8]
    /// Whether it stood in quotation marks.
    var isQuoted = false
  }

  var fields: [Field] = []
  /// The number of the first line, counted from 1.
  var line = 1
  /// The row as it stood in the file, without the end of the line.
  var text: [UInt8] = []

  /// - Throws: ``DepotError`` `request.type` if there aren't as many fields as the header has.
  func check(fieldCount count: Int) throws(DepotError) {
    guard fields.count != count else { return }
    throw DepotError(
      .type,
      "The row has \(Numbers.counted(fields.count, "field")); the header has \(count)."
    )
  }

  /// Whether this is an empty line.
  var isBlank: Bool { fields.count == 1 && fields[0].bytes.isEmpty && !fields[0].isQuoted }
}

/// A reader of CSV (RFC 4180), or the same with another delimiter, from a stream of bytes.
///
/// Lines end with LF or CRLF. A quotation mark in the middle of a field that isn't quoted is plain.
@Memberwise
struct DelimitedReader {
  private enum State {
    case startOfField
    case plain
    case quoted
    /// Behind a quotation mark in a quoted field: the end of it, or the first of two.
    case quoteInQuoted
  }

  private let delimiter: UInt8
  private var state = State.startOfField
  private var record = DelimitedRecord()
  private var field = DelimitedRecord.Field(bytes: [])
  private var line = 1
  private var ready: [DelimitedRecord] = []
  private var taken = 0

  /// Adds bytes of the input; none mean its end.
  ///
  /// - Throws: ``DepotError`` `request.type` if the file ends within quotation marks, or something
  ///   follows them.
  mutating func receive(_ bytes: UnsafeRawBufferPointer) throws(DepotError) {
    if bytes.isEmpty { return try finish() }
    for byte in bytes { try take(byte) }
  }

  /// Returns the next complete row, or `nil` if more bytes are needed.
  mutating func next() -> DelimitedRecord? {
    guard taken < ready.count else {
      ready.removeAll(keepingCapacity: true)
      taken = 0
      return nil
    }
    defer { taken += 1 }
    return ready[taken]
  }

  @inline(__always)
  private mutating func take(_ byte: UInt8) throws(DepotError) {
    if byte == 0x0A { line += 1 }
    let isEnd = byte == 0x0A && state != .quoted
    if !isEnd { record.text.append(byte) }
    if record.text.count > Limits.frameBytes {
      throw DepotError(.valueTooLarge, "The row that begins in line \(record.line) is too large.")
        .hint("Is a quotation mark missing?")
    }
    if isEnd { return endRow() }
    switch state {
    case .startOfField:
      if byte == UInt8(ascii: "\"") {
        field.isQuoted = true
        state = .quoted
      } else if byte == delimiter {
        endField()
      } else {
        field.bytes.append(byte)
        state = .plain
      }
    case .plain:
      if byte == delimiter { endField() } else { field.bytes.append(byte) }
    case .quoted:
      if byte == UInt8(ascii: "\"") {
        state = .quoteInQuoted
      } else {
        field.bytes.append(byte)
      }
    case .quoteInQuoted:
      if byte == UInt8(ascii: "\"") {
        field.bytes.append(byte)
        state = .quoted
      } else if byte == delimiter {
        endField()
      } else if byte != 0x0D {
        throw DepotError(.type, "Something follows a closing quotation mark in line \(line).")
          .hint("A quotation mark within a field is written twice.")
      }
    }
  }

  private mutating func endField() {
    record.fields.append(field)
    field = DelimitedRecord.Field(bytes: [])
    state = .startOfField
  }

  private mutating func endRow() {
    if state == .plain, field.bytes.last == 0x0D { field.bytes.removeLast() }
    if record.text.last == 0x0D { record.text.removeLast() }
    endField()
    ready.append(record)
    record = DelimitedRecord()
    record.line = line
  }

  private mutating func finish() throws(DepotError) {
    if state == .quoted {
      throw DepotError(.type, "The quotation mark in line \(record.line) is never closed.")
    }
    if !record.fields.isEmpty || !record.text.isEmpty { endRow() }
  }
}
