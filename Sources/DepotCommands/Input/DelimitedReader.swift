internal import DepotProtocol

/// A reader of CSV (RFC 4180), with any delimiter, from a stream of bytes.
///
/// Lines end with LF or CRLF, or with CR if the first one does. A quotation mark within an unquoted
/// field is an ordinary character.
struct DelimitedReader {
  private enum State {
    case startOfField
    case plain
    case quoted
    /// After a quotation mark in a quoted field: its end, or the first of two.
    case quoteInQuoted
    /// After a backslash.
    case escape
    /// Within the digits of an escape.
    case digits
    /// In an unreadable row.
    case unreadable
    /// After the line that ends a dump.
    case over
  }

  /// The line end of the file, as far as it is known.
  private enum LineEnd {
    case unknown
    /// Unknown, after a CR without a following byte yet.
    case unknownBehindCR
    case lineFeed
    case carriageReturn
  }

  private let delimiter: UInt8
  /// Whether a quotation mark at the start of a field has a meaning.
  private let hasQuotes: Bool
  /// Whether a backslash begins an escape.
  private let hasEscapes: Bool
  private var state = State.startOfField
  private var lineEnd = LineEnd.unknown
  private let wholeRow: WholeRow
  private var escape = DelimitedEscape()
  private var line = 1
  /// The input received last, and the number of bytes read from it.
  private var input: [UInt8] = []
  private var position = 0
  private var isAtEnd = false
  /// The last complete row.
  private var record = DelimitedRecord()
  /// The row being read byte by byte: its text, the bytes of its fields, and their ranges there.
  private var text: [UInt8] = []
  private var values: [UInt8] = []
  private var places: [DelimitedRecord.FieldRange] = []
  private var fault: DepotError?
  /// The line of that row.
  private var firstLine = 1
  /// The start of the current field in ``values``, and whether it is quoted.
  private var fieldStart = 0
  private var isQuoted = false

  /// Creates a reader of text that begins in a line of its file.
  init(delimiter: UInt8, hasQuotes: Bool = true, hasEscapes: Bool = false, line: Int = 1) {
    (self.line, firstLine) = (line, line)
    self.delimiter = delimiter
    self.hasQuotes = hasQuotes
    self.hasEscapes = hasEscapes
    wholeRow = WholeRow(delimiter: delimiter, hasQuotes: hasQuotes, hasEscapes: hasEscapes)
  }

  /// Adds bytes of the input; none mean its end.
  mutating func receive(_ bytes: UnsafeRawBufferPointer) {
    if bytes.isEmpty { isAtEnd = true }
    // The last row shares the memory of the input.
    record.bytes = []
    if position == input.count {
      input.removeAll(keepingCapacity: true)
    } else {
      input.removeSubrange(..<position)
    }
    position = 0
    input.append(contentsOf: bytes)
  }

  /// Returns the next complete row, or `nil` if more bytes are needed.
  mutating func next() -> DelimitedRecord? {
    if nextWhole() { return record }
    // A copy of the array lets the method read it while it changes other properties.
    let bytes = input
    let isComplete = bytes.withUnsafeBytes { readRow($0) }
    if isComplete || isAtEnd && finish() {
      takeRecord()
      return record
    }
    return nil
  }

  /// Reads the next row if all of it is in memory and no byte needs special treatment.
  private mutating func nextWhole() -> Bool {
    guard state == .startOfField, text.isEmpty, lineEnd == .lineFeed, position < input.count else {
      return false
    }
    record.places.removeAll(keepingCapacity: true)
    let start = position
    let ends = input.withUnsafeBufferPointer { wholeRow.scan($0, from: start, &record.places) }
    guard let ends else { return false }
    record.bytes = input
    record.textPlace = start..<ends.text
    record.line = line
    record.fault = nil
    line += ends.lines
    firstLine = line
    position = ends.next
    return true
  }

  /// Reads bytes up to the end of a row; returns whether the row ended.
  private mutating func readRow(_ bytes: UnsafeRawBufferPointer) -> Bool {
    while position < bytes.count {
      if state == .over {
        position = bytes.count
        break
      }
      let count = plainCount(bytes, from: position)
      if count > 0 {
        let run = UnsafeRawBufferPointer(rebasing: bytes[position..<position + count])
        text.append(contentsOf: run)
        values.append(contentsOf: run)
        if state == .startOfField { state = .plain }
        position += count
      } else {
        // The byte after a CR decides whether the CR ends a row.
        if endsRowBefore(bytes[position]), endRow() { return true }
        position += 1
        if take(bytes[position - 1]), endRow() { return true }
      }
    }
    return false
  }

  /// Makes a record of the row read byte by byte.
  private mutating func takeRecord() {
    record.textPlace = text.indices
    record.bytes = text + values
    record.places = places.map {
      .init(
        range: $0.range.lowerBound + text.count..<$0.range.upperBound + text.count,
        isQuoted: $0.isQuoted
      )
    }
    record.line = firstLine
    record.fault = fault
    text.removeAll(keepingCapacity: text.capacity <= 1 << 20)
    values.removeAll(keepingCapacity: values.capacity <= 1 << 20)
    places.removeAll(keepingCapacity: true)
    fault = nil
    fieldStart = 0
    firstLine = line
  }

  /// Returns how many bytes from a position on belong to the field without a special meaning.
  private func plainCount(_ bytes: UnsafeRawBufferPointer, from start: Int) -> Int {
    let isQuoted = state == .quoted
    guard isQuoted || state == .plain || state == .startOfField else { return 0 }
    guard lineEnd != .unknownBehindCR else { return 0 }
    let end = min(bytes.count, start + Limits.frameBytes - text.count)
    let quote = UInt8(ascii: "\"")
    let ends = isQuoted || state == .startOfField && hasQuotes ? quote : delimiter
    let delimiter = isQuoted ? quote : delimiter
    let backslash = hasEscapes ? UInt8(ascii: "\\") : delimiter
    var position = start
    while position < end {
      let byte = bytes[position]
      // A quotation mark within the field ends the run, and is handled by itself.
      if byte == ends || byte == delimiter || byte == 0x0A || byte == 0x0D || byte == backslash {
        break
      }
      position += 1
    }
    return max(0, position - start)
  }

  /// Handles a byte; returns whether it ends the row.
  private mutating func take(_ byte: UInt8) -> Bool {
    if state == .digits {
      if escape.take(byte) {
        text.append(byte)
        return false
      }
      endEscape()
    }
    if endsRow(byte) { return true }
    if text.count >= Limits.frameBytes {
      if fault == nil {
        fault = DepotError(.valueTooLarge, "The row is too large.")
          .hint(
            "A row has at most \(Numbers.size(bytes: Limits.frameBytes)). Is a quotation mark missing? "
              + ImportAdvice.largeValue
          )
        state = .unreadable
      }
      return false
    }
    text.append(byte)
    takeInRow(byte)
    return false
  }

  private mutating func takeInRow(_ byte: UInt8) {
    switch state {
    case .startOfField where byte == UInt8(ascii: "\"") && hasQuotes:
      isQuoted = true
      state = .quoted
    case .startOfField, .plain:
      if byte == delimiter {
        endField()
      } else if byte == UInt8(ascii: "\\"), hasEscapes {
        state = .escape
      } else {
        values.append(byte)
        state = .plain
      }
    case .quoted:
      if byte == UInt8(ascii: "\"") {
        state = .quoteInQuoted
      } else if byte == UInt8(ascii: "\\"), hasEscapes {
        state = .escape
        escape.isQuoted = true
      } else {
        values.append(byte)
      }
    case .quoteInQuoted: takeBehindQuote(byte)
    case .escape: takeEscaped(byte)
    case .digits, .unreadable, .over: break
    }
  }

  /// Returns whether the CR before a byte ends the row.
  private mutating func endsRowBefore(_ byte: UInt8) -> Bool {
    guard lineEnd == .unknownBehindCR else { return false }
    lineEnd = byte == 0x0A ? .lineFeed : .carriageReturn
    if byte == 0x0A { return false }
    line += 1
    return true
  }

  /// Returns whether a byte ends the row, and counts lines.
  private mutating func endsRow(_ byte: UInt8) -> Bool {
    let isOutside = state != .quoted && state != .escape
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
      values.append(byte)
      state = .quoted
    } else if byte == delimiter {
      endField()
    } else if byte != 0x0D {
      let place = line == firstLine ? "" : " in line \(line)"
      fault = DepotError(.type, "Something follows a closing quotation mark\(place).")
        .hint("A quotation mark within a field is written twice.")
      state = .unreadable
    }
  }

  /// Handles the byte after a backslash.
  private mutating func takeEscaped(_ byte: UInt8) {
    let isStart = values.count == fieldStart && !isQuoted && !escape.isNull
    state = .digits
    if byte == UInt8(ascii: "N"), isStart {
      escape.isNull = true
    } else if !escape.begin(byte) {
      values.append(DelimitedEscape.byte(byte))
    }
    if !escape.isNull { isQuoted = true }
    if !escape.hasDigits { endEscape() }
  }

  /// Returns to the state before the backslash.
  private mutating func endEscape() {
    if let code = escape.code { values.append(code) }
    state = escape.isQuoted ? .quoted : .plain
    let isNull = escape.isNull
    escape = DelimitedEscape()
    escape.isNull = isNull
  }

  private mutating func endField() {
    if escape.isNull {
      // If more of the field follows, the escape stands for its letter.
      let isAlone = values.count == fieldStart && !isQuoted
      let start = isAlone ? Array(InputForm.dumpNull.utf8) : [UInt8(ascii: "N")]
      values.insert(contentsOf: start, at: fieldStart)
      escape.isNull = false
    }
    places.append(.init(range: fieldStart..<values.count, isQuoted: isQuoted))
    fieldStart = values.count
    isQuoted = false
    state = .startOfField
  }

  /// Ends the row; returns `false` for the line that ends a dump.
  private mutating func endRow() -> Bool {
    if state == .plain, values.count > fieldStart, values.last == 0x0D { values.removeLast() }
    if text.last == 0x0D { text.removeLast() }
    endField()
    guard hasEscapes, text == Array("\\.".utf8) else { return true }
    state = .over
    return false
  }

  /// Ends the row at the end of the input; returns whether there is one.
  private mutating func finish() -> Bool {
    if state == .over { return false }
    if state == .digits { endEscape() }
    if state == .quoted {
      fault = DepotError(.type, "A quotation mark is never closed.")
    } else if state == .escape {
      fault = DepotError(.type, "The file ends behind a backslash.")
    }
    return !text.isEmpty && endRow()
  }
}
