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
  /// Why this is no row.
  var fault: DepotError?

  /// - Throws: The ``fault``, if there is one.
  func check() throws(DepotError) {
    if let fault { throw fault }
  }

  /// - Throws: The ``fault``, or ``DepotError`` `request.type` if there aren't as many fields as the header has.
  func check(fieldCount count: Int) throws(DepotError) {
    try check()
    guard fields.count != count else { return }
    throw DepotError(
      .type,
      "The row has \(Numbers.counted(fields.count, "field")); the header has \(count)."
    )
  }

  /// Whether this is an empty line.
  var isBlank: Bool {
    fault == nil && fields.count == 1 && fields[0].bytes.isEmpty && !fields[0].isQuoted
  }
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
    /// In a row that is none.
    case unreadable
  }

  private let delimiter: UInt8
  private var state = State.startOfField
  private var record = DelimitedRecord()
  private var field = DelimitedRecord.Field(bytes: [])
  private var line = 1
  private var ready: [DelimitedRecord] = []
  private var taken = 0

  /// Adds bytes of the input; none mean its end.
  mutating func receive(_ bytes: UnsafeRawBufferPointer) {
    if bytes.isEmpty { return finish() }
    for byte in bytes { take(byte) }
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
  private mutating func take(_ byte: UInt8) {
    if byte == 0x0A { line += 1 }
    let isEnd = byte == 0x0A && state != .quoted
    if isEnd { return endRow() }
    if record.text.count >= Limits.frameBytes {
      if record.fault == nil {
        record.fault = DepotError(.valueTooLarge, "The row is too large.")
          .hint("Is a quotation mark missing?")
        state = .unreadable
      }
      return
    }
    record.text.append(byte)
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
        let place = line == record.line ? "" : " in line \(line)"
        record.fault = DepotError(.type, "Something follows a closing quotation mark\(place).")
          .hint("A quotation mark within a field is written twice.")
        state = .unreadable
      }
    case .unreadable: break
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

  private mutating func finish() {
    if state == .quoted {
      record.fault = DepotError(.type, "A quotation mark is never closed.")
    }
    if !record.fields.isEmpty || !record.text.isEmpty { endRow() }
  }
}
