internal import DepotProtocol

/// A search for the part of a JSON document at a path, piece by piece.
///
/// It checks the text around the part.
struct JSONLocator {
  private let path: [String]
  private var scanner: JSONPathScanner
  private var places = JSONArrayPointers()
  private var grammar = JSONGrammar()
  /// The line where the part begins.
  private(set) var firstLine = 1
  private var line = 1
  private var isFound = false
  private var isAtEnd = false
  private var outerDepth = 0
  private var hasFault = false
  private var fault: InputRecord?

  init(_ path: [String]) {
    self.path = path
    scanner = JSONPathScanner(limit: max(path.count + 1, 5))
  }

  /// Returns the first fault of the document around the part, once.
  mutating func takeFault() -> InputRecord? {
    defer { fault = nil }
    return fault
  }

  /// Returns the bytes of the next piece of the document that belong to the part.
  ///
  /// - Throws: ``DepotError`` `request.usage` if the document doesn't have it, or it contains no
  ///   records.
  mutating func receive(_ piece: UnsafeRawBufferPointer) throws(DepotError) -> Range<Int> {
    if piece.isEmpty, !isFound {
      throw DepotError(.usage, "There is nothing at \(InputForm.pointer(path)) in the document.")
        .hint(places.advice)
    }
    // An unterminated part is a fault of its own.
    if piece.isEmpty, isAtEnd, !grammar.isComplete {
      note("The document is cut off.", [])
    }
    var part = (isFound && !isAtEnd ? 0 : piece.count)..<piece.count
    for (position, byte) in piece.enumerated() {
      if byte == 0x0A { line += 1 }
      let isValue = !isAtEnd && scanner.take(byte)
      if isFound, !isAtEnd {
        guard scanner.depth == outerDepth else { continue }
        isAtEnd = true
        part = part.lowerBound..<position + 1
      } else if isValue, try begins(byte) {
        part = position..<piece.count
      } else if !grammar.take(byte) {
        note("The document isn't JSON from here on.", [byte])
      }
    }
    return part
  }

  /// Returns whether the part begins at a byte, the first byte of a value.
  private mutating func begins(_ byte: UInt8) throws(DepotError) -> Bool {
    places.add(scanner, byte)
    guard scanner.path == path else { return false }
    guard byte == UInt8(ascii: "[") || byte == UInt8(ascii: "{") else {
      let pointer = InputForm.pointer(path)
      throw DepotError(.usage, "At \(pointer) of the document there are no records.")
        .hint(places.advice ?? "Records are objects, or an array of them.")
    }
    isFound = true
    firstLine = line
    outerDepth = scanner.depth - 1
    grammar.skipValue()
    return true
  }

  private mutating func note(_ message: String, _ bytes: [UInt8]) {
    guard !hasFault else { return }
    hasFault = true
    fault = InputRecord(bytes: bytes[...], line: line, fault: DepotError(.json, message))
  }
}
