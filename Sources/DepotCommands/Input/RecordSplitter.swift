internal import DepotProtocol

/// A record of an import: its bytes and the line it begins in.
struct InputRecord {
  /// The bytes, valid until the splitter gets more.
  var bytes: ArraySlice<UInt8>
  /// The number of the first line, counted from 1.
  var line: Int
}

/// A splitter of a stream of bytes into JSON records, which it doesn't check.
@Memberwise("form")
struct RecordSplitter {
  /// How records are told apart.
  enum Form {
    /// One record in each line; empty lines are none.
    case lines
    /// Objects, one after the other or in one array, over as many lines as they like.
    case objects
  }

  private let form: Form
  private var buffer: [UInt8] = []
  private var start = 0
  private var scanned = 0
  private var line = 1
  private var firstLine = 1
  private var depth = 0
  private var isInString = false
  private var isEscaped = false
  private var isAtEnd = false
  private var hasOpened = false
  private var isAtStart = true

  /// Counts lines from another than the first, unless some of the input is there already.
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

  /// Returns the next complete record, or `nil` if more bytes are needed.
  ///
  /// - Throws: ``DepotError`` `limit.value_bytes` if a record is larger than a frame may be.
  mutating func next() throws(DepotError) -> InputRecord? {
    let record = form == .lines ? nextLine() : nextObject()
    if record == nil, buffer.count - start > Limits.frameBytes {
      throw DepotError(.valueTooLarge, "The record that begins in line \(firstLine) is too large.")
        .hint(
          "A record has at most \(Numbers.size(bytes: Limits.frameBytes)). Are the records in an array "
            + "inside of it? Then say where, as in --path /items"
        )
    }
    return record
  }

  private mutating func nextLine() -> InputRecord? {
    while true {
      let end: Int
      if let found = buffer[scanned...].firstIndex(of: 0x0A) {
        end = found
      } else if isAtEnd, start < buffer.count {
        end = buffer.count
      } else {
        scanned = buffer.count
        return nil
      }
      let record = InputRecord(bytes: trimmed(buffer[start..<end]), line: line)
      start = min(end + 1, buffer.count)
      scanned = start
      line += 1
      firstLine = line
      if !record.bytes.isEmpty { return record }
    }
  }

  /// Returns the next object, or whatever else stands between two commas.
  private mutating func nextObject() -> InputRecord? {
    while scanned < buffer.count {
      let byte = buffer[scanned]
      if byte == 0x0A { line += 1 }
      if isInString {
        if isEscaped {
          isEscaped = false
        } else if byte == UInt8(ascii: "\\") {
          isEscaped = true
        } else if byte == UInt8(ascii: "\"") {
          isInString = false
        }
        scanned += 1
        continue
      }
      if depth == 0, isBetween(byte) {
        let record = trimmed(buffer[start..<scanned])
        scanned += 1
        if byte == UInt8(ascii: "[") { hasOpened = true }
        start = scanned
        if !record.isEmpty { return InputRecord(bytes: record, line: firstLine) }
        continue
      }
      if scanned == start || trimmed(buffer[start..<scanned]).isEmpty { firstLine = line }
      scanned += 1
      switch byte {
      case UInt8(ascii: "\""): isInString = true
      case UInt8(ascii: "{"), UInt8(ascii: "["): depth += 1
      case UInt8(ascii: "}"), UInt8(ascii: "]"):
        depth -= 1
        guard depth <= 0 else { continue }
        depth = 0
        defer { start = scanned }
        return InputRecord(bytes: buffer[start..<scanned], line: firstLine)
      default: break
      }
    }
    guard isAtEnd else { return nil }
    let record = trimmed(buffer[start...])
    start = buffer.count
    return record.isEmpty ? nil : InputRecord(bytes: record, line: firstLine)
  }

  /// Whether a byte outside of objects separates them.
  private func isBetween(_ byte: UInt8) -> Bool {
    switch byte {
    case 0x20, 0x09, 0x0A, 0x0D, UInt8(ascii: ","), UInt8(ascii: "]"): true
    case UInt8(ascii: "["): !hasOpened
    default: false
    }
  }

  private func trimmed(_ bytes: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
    var bytes = bytes
    while let first = bytes.first, first <= 0x20 { bytes.removeFirst() }
    while let last = bytes.last, last <= 0x20 { bytes.removeLast() }
    return bytes
  }
}
