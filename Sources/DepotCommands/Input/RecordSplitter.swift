internal import DepotProtocol

/// A record of an import: its bytes and its first line.
struct InputRecord {
  /// The bytes, valid until the splitter receives more.
  var bytes: ArraySlice<UInt8>
  /// The number of the first line, counted from 1.
  var line: Int
  /// The error if this isn't a record; the bytes are then the faulty ones.
  var fault: DepotError?

  /// - Throws: The ``fault``, if there is one.
  func check() throws(DepotError) {
    if let fault { throw fault }
  }
}

/// A splitter of a stream of bytes into JSON records.
///
/// It checks only the text between records.
@Memberwise("form")
struct RecordSplitter {
  /// The way records are separated.
  enum Form {
    /// One record on each line; empty lines are ignored.
    case lines
    /// Objects, one after the other or in one array, over any number of lines.
    case objects
  }

  /// The position of the next byte in a document of objects, outside of records.
  private enum Place {
    /// Before everything.
    case start
    /// After a record outside of an array.
    case between
    /// After the opening bracket of the array.
    case opened
    /// After a record in the array.
    case behindElement
    /// After a comma in the array.
    case behindComma
    /// After the array.
    case closed
  }

  private let form: Form
  private var buffer: [UInt8] = []
  private var start = 0
  private var scanned = 0
  private var line = 1
  private var firstLine = 1
  private var place = Place.start
  /// The line where the array begins.
  private var arrayLine = 1
  private var depth = 0
  private var isInString = false
  private var isEscaped = false
  private var isAtEnd = false
  private var isAtStart = true
  /// Whether the current record was reported already as too large.
  private var isSkipping = false
  /// Whether later records can no longer be recognized.
  private var isLost = false

  /// Sets the number of the first line, unless input was received already.
  mutating func begin(line: Int) {
    guard isAtStart else { return }
    self.line = line
    firstLine = line
  }

  /// Adds bytes of the input; none mean its end.
  mutating func receive(_ bytes: UnsafeRawBufferPointer) {
    isAtStart = isAtStart && bytes.isEmpty
    if bytes.isEmpty { isAtEnd = true }
    if start > 0 {
      buffer.removeSubrange(..<start)
      scanned -= start
      start = 0
    }
    buffer.append(contentsOf: bytes)
  }

  /// Returns the next complete record or fault; `nil` if more bytes are needed.
  mutating func next() -> InputRecord? {
    while let record = form == .lines ? nextLine() : nextObject() {
      guard isSkipping else {
        return record.bytes.count > Limits.frameBytes ? tooLarge(record.bytes) : record
      }
      isSkipping = false
    }
    guard buffer.count - start > Limits.frameBytes else { return nil }
    defer { start = scanned }
    if isSkipping { return nil }
    isSkipping = true
    return tooLarge(buffer[start..<scanned])
  }

  private func tooLarge(_ bytes: ArraySlice<UInt8>) -> InputRecord {
    let error = DepotError(.valueTooLarge, "The record is too large.")
      .hint(
        "A record has at most \(Numbers.size(bytes: Limits.frameBytes)). Are the records in an array "
          + "inside of it? Then say where, as in --path /items. \(ImportAdvice.largeValue)"
      )
    return InputRecord(bytes: bytes, line: firstLine, fault: error)
  }

  private mutating func nextLine() -> InputRecord? {
    while true {
      let end: Int
      if let found = buffer[scanned...].firstIndex(of: 0x0A) {
        end = found
      } else if isAtEnd, start < buffer.count {
        end = buffer.count
      } else {
        firstLine = line
        scanned = buffer.count
        return nil
      }
      firstLine = line
      let record = InputRecord(bytes: trimmed(buffer[start..<end]), line: line)
      start = min(end + 1, buffer.count)
      scanned = start
      line += 1
      if !record.bytes.isEmpty || isSkipping { return record }
    }
  }

  /// Returns the next object, or the faulty bytes in its place.
  private mutating func nextObject() -> InputRecord? {
    if isLost { start = buffer.count }
    while scanned < buffer.count, !isLost {
      let byte = buffer[scanned]
      if isInString {
        takeInString(byte)
        if !isInString, depth == 0 { return endRecord() }
      } else if start == scanned, depth == 0, !isSkipping {
        guard let fault = begin(byte) else { continue }
        return fault
      } else if depth == 0, ends(byte) {
        return endRecord()
      } else {
        take(byte)
        if depth == 0, byte == UInt8(ascii: "}") || byte == UInt8(ascii: "]") {
          return endRecord()
        }
      }
    }
    guard isAtEnd, !isLost else { return nil }
    if start < buffer.count || isSkipping {
      // The truncated record itself causes the error.
      isLost = depth > 0 || isInString
      return endRecord()
    }
    isLost = true
    switch place {
    case .start: return fault("The document is empty.", at: line)
    case .between, .closed: return nil
    default: return fault("The array is never closed.", at: arrayLine)
    }
  }

  /// Moves past a byte between records, unless a record begins there.
  private mutating func begin(_ byte: UInt8) -> InputRecord? {
    if byte == 0x20 || byte == 0x09 || byte == 0x0A || byte == 0x0D {
      skip(byte)
      return nil
    }
    firstLine = line
    switch (place, byte) {
    case (.start, UInt8(ascii: "[")):
      arrayLine = line
      place = .opened
      skip(byte)
    case (.opened, UInt8(ascii: "]")), (.behindElement, UInt8(ascii: "]")):
      place = .closed
      skip(byte)
    case (.behindElement, UInt8(ascii: ",")):
      place = .behindComma
      skip(byte)
    case (.closed, _):
      isLost = true
      return fault("Something follows the end of the array.", at: line)
    case (.behindComma, UInt8(ascii: "]")):
      place = .closed
      defer { skip(byte) }
      return fault("A comma stands before the end of the array.", at: line)
    case (_, UInt8(ascii: ",")), (_, UInt8(ascii: "]")), (_, UInt8(ascii: "}")):
      let sign = String(UnicodeScalar(byte))
      defer { skip(byte) }
      return fault("\"\(sign)\" stands where a record should begin.", at: line)
    case (.behindElement, _):
      place = .behindComma
      return fault("A comma is missing before the record.", at: line)
    default: take(byte)
    }
    return nil
  }

  private func fault(_ message: String, at line: Int) -> InputRecord {
    let end = min(scanned + 1, buffer.count)
    return InputRecord(bytes: buffer[scanned..<end], line: line, fault: DepotError(.json, message))
  }

  /// Moves past a byte between records.
  private mutating func skip(_ byte: UInt8) {
    if byte == 0x0A { line += 1 }
    scanned += 1
    start = scanned
  }

  /// Moves past a byte of a record.
  private mutating func take(_ byte: UInt8) {
    if byte == 0x0A { line += 1 }
    scanned += 1
    switch byte {
    case UInt8(ascii: "\""): isInString = true
    case UInt8(ascii: "{"), UInt8(ascii: "["): depth += 1
    case UInt8(ascii: "}"), UInt8(ascii: "]"): depth -= 1
    default: break
    }
  }

  private mutating func takeInString(_ byte: UInt8) {
    if byte == 0x0A { line += 1 }
    scanned += 1
    if isEscaped {
      isEscaped = false
    } else if byte == UInt8(ascii: "\\") {
      isEscaped = true
    } else if byte == UInt8(ascii: "\"") {
      isInString = false
    }
  }

  private mutating func endRecord() -> InputRecord {
    defer { start = scanned }
    place = place == .start || place == .between ? .between : .behindElement
    depth = 0
    isInString = false
    return InputRecord(bytes: buffer[start..<scanned], line: firstLine)
  }

  /// Whether a byte ends a number or a word.
  private func ends(_ byte: UInt8) -> Bool {
    switch byte {
    case 0x20, 0x09, 0x0A, 0x0D, UInt8(ascii: ","), UInt8(ascii: "]"), UInt8(ascii: "}"): true
    default: false
    }
  }

  /// Returns bytes without the white space around them.
  private func trimmed(_ bytes: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
    func isSpace(_ byte: UInt8) -> Bool {
      byte == 0x20 || byte == 0x09 || byte == 0x0A || byte == 0x0D
    }
    var bytes = bytes
    while let first = bytes.first, isSpace(first) { bytes.removeFirst() }
    while let last = bytes.last, isSpace(last) { bytes.removeLast() }
    return bytes
  }
}
