internal import DepotProtocol

/// One row of a CSV file.
struct DelimitedRecord: Equatable {
  struct Field: Equatable {
    var bytes: [UInt8]
    /// Whether it stood in quotation marks, or has escapes, so that it isn't the text for null.
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

  /// - Throws: The ``fault``, or ``DepotError`` `request.type` if there aren't as many fields as `names` has.
  func check(fieldsOf names: DelimitedNames) throws(DepotError) {
    try check()
    guard fields.count != names.texts.count else { return }
    throw DepotError(
      .type,
      "The row has \(Numbers.counted(fields.count, "field")); \(names.countSentence)."
    ).hint(names.source == .schema ? DelimitedNames.advice : nil)
  }

  /// Whether this is an empty line.
  var isBlank: Bool {
    fault == nil && fields.count == 1 && fields[0].bytes.isEmpty && !fields[0].isQuoted
  }
}

/// A reader of CSV (RFC 4180), or the same with another delimiter, from a stream of bytes.
///
/// Lines end with LF or CRLF, or with CR if the first one does. A quotation mark in the middle of a field that
/// isn't quoted is plain.
struct DelimitedReader {
  private enum State {
    case startOfField
    case plain
    case quoted
    /// Behind a quotation mark in a quoted field: the end of it, or the first of two.
    case quoteInQuoted
    /// Behind a backslash.
    case escape
    /// Within the digits of an escape.
    case digits
    /// In a row that is none.
    case unreadable
    /// Behind the line that ends a dump.
    case over
  }

  /// The end of lines, as far as it is known.
  private enum LineEnd {
    case unknown
    /// Unknown, behind a CR that another byte than LF has to follow.
    case unknownBehindCR
    case lineFeed
    case carriageReturn
  }

  private let delimiter: UInt8
  /// Whether a quotation mark at the start of a field means anything.
  private let hasQuotes: Bool
  /// Whether a backslash begins an escape.
  private let hasEscapes: Bool
  private var state = State.startOfField
  private var lineEnd = LineEnd.unknown
  private var record = DelimitedRecord()
  private var field = DelimitedRecord.Field(bytes: [])
  private var escape = DelimitedEscape()
  private var line = 1
  private var ready: [DelimitedRecord] = []
  private var taken = 0

  init(delimiter: UInt8, hasQuotes: Bool = true, hasEscapes: Bool = false) {
    self.delimiter = delimiter
    self.hasQuotes = hasQuotes
    self.hasEscapes = hasEscapes
  }

  /// Adds bytes of the input; none mean its end.
  mutating func receive(_ bytes: UnsafeRawBufferPointer) {
    if bytes.isEmpty { return finish() }
    var position = 0
    while position < bytes.count, state != .over {
      let count = plainCount(bytes, from: position)
      if count > 0 {
        let run = UnsafeRawBufferPointer(rebasing: bytes[position..<position + count])
        record.text.append(contentsOf: run)
        field.bytes.append(contentsOf: run)
        if state == .startOfField { state = .plain }
        position += count
      } else {
        take(bytes[position])
        position += 1
      }
    }
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

  /// Returns how many bytes from a position on are of the field and mean nothing else.
  private func plainCount(_ bytes: UnsafeRawBufferPointer, from start: Int) -> Int {
    let isQuoted = state == .quoted
    guard isQuoted || state == .plain || state == .startOfField else { return 0 }
    guard lineEnd != .unknownBehindCR else { return 0 }
    let end = min(bytes.count, start + Limits.frameBytes - record.text.count)
    let quote = UInt8(ascii: "\"")
    let ends = isQuoted || state == .startOfField && hasQuotes ? quote : delimiter
    let delimiter = isQuoted ? quote : delimiter
    let backslash = hasEscapes ? UInt8(ascii: "\\") : delimiter
    var position = start
    while position < end {
      let byte = bytes[position]
      // A mark that is plain within the field ends the run, and is taken by itself.
      if byte == ends || byte == delimiter || byte == 0x0A || byte == 0x0D || byte == backslash {
        break
      }
      position += 1
    }
    return max(0, position - start)
  }

  private mutating func take(_ byte: UInt8) {
    if state == .digits {
      if escape.take(byte) { return record.text.append(byte) }
      endEscape()
    }
    if endsRow(byte) { return endRow() }
    if record.text.count >= Limits.frameBytes {
      if record.fault == nil {
        record.fault = DepotError(.valueTooLarge, "The row is too large.")
          .hint(
            "A row has at most \(Numbers.size(bytes: Limits.frameBytes)). Is a quotation mark missing?"
          )
        state = .unreadable
      }
      return
    }
    record.text.append(byte)
    switch state {
    case .startOfField where byte == UInt8(ascii: "\"") && hasQuotes:
      field.isQuoted = true
      state = .quoted
    case .startOfField, .plain:
      if byte == delimiter {
        endField()
      } else if byte == UInt8(ascii: "\\"), hasEscapes {
        state = .escape
      } else {
        field.bytes.append(byte)
        state = .plain
      }
    case .quoted:
      if byte == UInt8(ascii: "\"") {
        state = .quoteInQuoted
      } else if byte == UInt8(ascii: "\\"), hasEscapes {
        state = .escape
        escape.isQuoted = true
      } else {
        field.bytes.append(byte)
      }
    case .quoteInQuoted: takeBehindQuote(byte)
    case .escape: takeEscaped(byte)
    case .digits, .unreadable, .over: break
    }
  }

  /// Returns whether a byte is the end of a row, and counts lines.
  private mutating func endsRow(_ byte: UInt8) -> Bool {
    let isOutside = state != .quoted && state != .escape
    if lineEnd == .unknownBehindCR {
      lineEnd = byte == 0x0A ? .lineFeed : .carriageReturn
      if byte != 0x0A {
        line += 1
        endRow()
      }
    }
    switch byte {
    case 0x0A:
      line += 1
      if isOutside, lineEnd == .unknown { lineEnd = .lineFeed }
      return isOutside
    case 0x0D where lineEnd == .carriageReturn:
      line += 1
      return isOutside
    case 0x0D where lineEnd == .unknown && isOutside: lineEnd = .unknownBehindCR
    default: break
    }
    return false
  }

  private mutating func takeBehindQuote(_ byte: UInt8) {
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
  }

  /// Takes the byte behind a backslash.
  private mutating func takeEscaped(_ byte: UInt8) {
    let isStart = field.bytes.isEmpty && !field.isQuoted && !escape.isNull
    state = .digits
    if byte == UInt8(ascii: "N"), isStart {
      escape.isNull = true
    } else if !escape.begin(byte) {
      field.bytes.append(DelimitedEscape.byte(byte))
    }
    if !escape.isNull { field.isQuoted = true }
    if !escape.hasDigits { endEscape() }
  }

  /// Goes back to where the backslash stood.
  private mutating func endEscape() {
    if let code = escape.code { field.bytes.append(code) }
    state = escape.isQuoted ? .quoted : .plain
    let isNull = escape.isNull
    escape = DelimitedEscape()
    escape.isNull = isNull
  }

  private mutating func endField() {
    if escape.isNull {
      // With anything behind it, the escape stands for its letter.
      let isAlone = field.bytes.isEmpty && !field.isQuoted
      field.bytes.insert(contentsOf: isAlone ? Array(InputForm.dumpNull.utf8) : [0x4E], at: 0)
      escape.isNull = false
    }
    record.fields.append(field)
    field = DelimitedRecord.Field(bytes: [])
    state = .startOfField
  }

  private mutating func endRow() {
    if state == .plain, field.bytes.last == 0x0D { field.bytes.removeLast() }
    if record.text.last == 0x0D { record.text.removeLast() }
    endField()
    if hasEscapes, record.text == Array("\\.".utf8) {
      state = .over
      return
    }
    // The next row is likely to be as large.
    let (fieldCount, byteCount) = (record.fields.count, record.text.count)
    ready.append(record)
    record = DelimitedRecord()
    record.fields.reserveCapacity(fieldCount)
    record.text.reserveCapacity(byteCount + byteCount / 4)
    record.line = line
  }

  private mutating func finish() {
    if state == .over { return }
    if state == .digits { endEscape() }
    if state == .quoted {
      record.fault = DepotError(.type, "A quotation mark is never closed.")
    } else if state == .escape {
      record.fault = DepotError(.type, "The file ends behind a backslash.")
    }
    if !record.fields.isEmpty || !record.text.isEmpty { endRow() }
  }
}
