/// A builder of compact JSON text in bytes.
///
/// The caller writes commas and brackets, so that rows cost no more than their bytes.
package struct JSONWriter: Sendable {
  package var bytes: [UInt8]

  package init(capacity: Int = 256) {
    bytes = []
    bytes.reserveCapacity(capacity)
  }

  /// Continues bytes that were written before.
  init(_ bytes: consuming [UInt8]) { self.bytes = bytes }

  /// Writes ASCII text as it is.
  @inline(__always)
  package mutating func raw(_ text: StaticString) {
    if text.utf8CodeUnitCount == 1 { return bytes.append(text.utf8Start.pointee) }
    bytes.append(
      contentsOf: UnsafeBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount)
    )
  }

  /// Writes bytes that are JSON already.
  package mutating func raw(_ text: [UInt8]) {
    bytes.append(contentsOf: text)
  }

  /// Writes bytes that are JSON already.
  package mutating func raw(_ text: UnsafeBufferPointer<UInt8>) {
    bytes.append(contentsOf: text)
  }

  /// Writes bytes that are JSON already.
  package mutating func raw(_ text: some Collection<UInt8>) {
    bytes.append(contentsOf: text)
  }

  /// Writes elements with commas between them.
  package mutating func separated<Element, Failure: Error>(
    _ elements: some Sequence<Element>,
    _ body: (inout JSONWriter, Element) throws(Failure) -> Void
  ) throws(Failure) {
    var isFirst = true
    for element in elements {
      if !isFirst { raw(",") }
      isFirst = false
      try body(&self, element)
    }
  }

  /// Writes an array.
  package mutating func array<Element, Failure: Error>(
    _ elements: some Sequence<Element>,
    _ body: (inout JSONWriter, Element) throws(Failure) -> Void
  ) throws(Failure) {
    raw("[")
    try separated(elements, body)
    raw("]")
  }

  /// Returns the text that `body` writes.
  package static func text(_ body: (inout JSONWriter) -> Void) -> String {
    String(decoding: bytes(body), as: UTF8.self)
  }

  /// Returns the bytes that a function writes.
  package static func bytes<Failure: Error>(
    _ body: (inout JSONWriter) throws(Failure) -> Void
  ) throws(Failure) -> [UInt8] {
    var writer = JSONWriter()
    try body(&writer)
    return writer.bytes
  }

  package mutating func bool(_ value: Bool) {
    raw(value ? "true" : "false")
  }

  package mutating func integer(_ value: Int) { integer(Int64(value)) }

  package mutating func integer(_ value: Int64) {
    if value < 0 { bytes.append(UInt8(ascii: "-")) }
    integer(value.magnitude)
  }

  package mutating func integer(_ value: UInt64) {
    if value < 10 { return bytes.append(0x30 + UInt8(value)) }
    number { NumberText.write(value, to: $0) }
  }

  /// Writes the shortest decimal that reads back as `value`, or a string if it isn't finite.
  package mutating func double(_ value: Double) {
    if value.isNaN { return raw("\"NaN\"") }
    if value.isInfinite { return value < 0 ? raw("\"-Infinity\"") : raw("\"Infinity\"") }
    number { NumberText.write(value, to: $0) }
  }

  /// Appends a number that `write` writes into memory.
  @inline(__always)
  private mutating func number(_ write: (UnsafeMutablePointer<UInt8>) -> Int) {
    withUnsafeTemporaryAllocation(of: UInt8.self, capacity: NumberText.longest) { memory in
      guard let start = memory.baseAddress else { return }
      bytes.append(contentsOf: UnsafeBufferPointer(start: start, count: write(start)))
    }
  }

  /// Writes a string in quotation marks.
  package mutating func string(_ text: String) {
    var text = text
    text.withUTF8 { string(utf8: $0) }
  }

  /// Writes well-formed UTF-8 as a string in quotation marks.
  package mutating func string(utf8 text: UnsafeBufferPointer<UInt8>) {
    bytes.append(UInt8(ascii: "\""))
    var start = 0
    var index = 0
    while index < text.count {
      if index + 8 <= text.count, let base = text.baseAddress,
        PlainBytes.needNoEscape(
          UnsafeRawPointer(base).loadUnaligned(fromByteOffset: index, as: UInt64.self)
        )
      {
        index += 8
        continue
      }
      let byte = text[index]
      if byte < 0x20 || byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\") {
        bytes.append(contentsOf: UnsafeBufferPointer(rebasing: text[start..<index]))
        escape(byte)
        start = index + 1
      }
      index += 1
    }
    bytes.append(contentsOf: UnsafeBufferPointer(rebasing: text[start..<text.count]))
    bytes.append(UInt8(ascii: "\""))
  }

  private mutating func escape(_ byte: UInt8) {
    switch byte {
    case 0x08: raw("\\b")
    case 0x09: raw("\\t")
    case 0x0A: raw("\\n")
    case 0x0C: raw("\\f")
    case 0x0D: raw("\\r")
    case UInt8(ascii: "\""): raw("\\\"")
    case UInt8(ascii: "\\"): raw("\\\\")
    default:
      raw("\\u00")
      bytes.append(0x30 + byte >> 4)
      let low = byte & 0xF
      bytes.append(low < 10 ? 0x30 + low : UInt8(ascii: "a") + low - 10)
    }
  }
}

extension PlainBytes {
  /// Copies text that a string needn't escape, in one pass.
  ///
  /// - Returns: Whether all of it is ASCII; `nil` if a byte must be escaped.
  @inline(__always)
  static func copy(
    _ text: UnsafeBufferPointer<UInt8>,
    to target: UnsafeMutablePointer<UInt8>
  ) -> Bool? {
    guard let base = text.baseAddress else { return true }
    let (from, to) = (UnsafeRawPointer(base), UnsafeMutableRawPointer(target))
    let count = text.count
    var (bits, special) = (UInt64(0), UInt64(0))
    func take(_ word: UInt64) {
      bits |= word
      special |= toEscape(word)
    }
    func copyWord(_ index: Int) {
      let word = from.loadUnaligned(fromByteOffset: index, as: UInt64.self)
      to.storeBytes(of: word, toByteOffset: index, as: UInt64.self)
      take(word)
    }
    // The last bytes are copied with some before them.
    if count >= 8 {
      for index in stride(from: 0, to: count - 8, by: 8) { copyWord(index) }
      copyWord(count - 8)
    } else if count >= 4 {
      let first = from.loadUnaligned(as: UInt32.self)
      let last = from.loadUnaligned(fromByteOffset: count - 4, as: UInt32.self)
      to.storeBytes(of: first, as: UInt32.self)
      to.storeBytes(of: last, toByteOffset: count - 4, as: UInt32.self)
      take(UInt64(first) << 32 | UInt64(last))
    } else {
      for index in 0..<count {
        target[index] = base[index]
        // In front of it are letters.
        take(UInt64(base[index]) << 56 | 0x61_6161_6161_6161)
      }
    }
    if special != 0 { return nil }
    return bits & 0x8080_8080_8080_8080 == 0
  }

  /// Whether no byte of `text` is one that a string has to escape; beyond ASCII it may be `false` too.
  static func needNoEscape(_ text: UnsafeBufferPointer<UInt8>) -> Bool {
    guard text.count >= 8, let base = text.baseAddress else {
      return text.allSatisfy { $0 >= 0x20 && $0 != UInt8(ascii: "\"") && $0 != UInt8(ascii: "\\") }
    }
    let raw = UnsafeRawPointer(base)
    for index in stride(from: 0, to: text.count - 8, by: 8)
    where !needNoEscape(raw.loadUnaligned(fromByteOffset: index, as: UInt64.self)) {
      return false
    }
    return needNoEscape(raw.loadUnaligned(fromByteOffset: text.count - 8, as: UInt64.self))
  }

  /// Whether no byte of `word` is a quotation mark, a backslash, or a control character.
  ///
  /// Bytes beyond ASCII may count as one of these; the caller then checks byte by byte.
  @inline(__always)
  static func needNoEscape(_ word: UInt64) -> Bool { toEscape(word) == 0 }

  /// Returns a word with the highest bit of bytes set that are one of these, or follow such a byte.
  @inline(__always)
  private static func toEscape(_ word: UInt64) -> UInt64 {
    let ones: UInt64 = 0x0101_0101_0101_0101
    let quotes = word ^ (ones &* 0x22)
    let slashes = word ^ (ones &* 0x5C)
    let special =
      ((word &- ones &* 0x20) & ~word) | ((quotes &- ones) & ~quotes)
      | ((slashes &- ones) & ~slashes)
    return special & (ones &* 0x80)
  }
}
