/// A scanned JSON text that values are read from on demand.
package final class JSONDocument: Sendable {
  /// The text as it was received.
  package let bytes: [UInt8]
  let tokens: [JSONToken]

  /// Scans `bytes`.
  ///
  /// - Throws: ``DepotError`` of class `protocol`, `request`, or `limit` that names the byte.
  package init(
    _ bytes: [UInt8],
    depthLimit: Int = Limits.depth,
    valueLimit: Int = Limits.values
  ) throws(DepotError) {
    do {
      tokens = try bytes.withUnsafeBufferPointer { (buffer) throws(JSONError) in
        try JSONScanner.scan(buffer, depthLimit: depthLimit, valueLimit: valueLimit)
      }
    } catch {
      throw DepotError(error, in: bytes)
    }
    self.bytes = bytes
  }

  /// The outermost value.
  package var root: JSONNode { JSONNode(document: self, index: 0) }

  /// Whether the token at `index` is a string with exactly the characters of `text`.
  func isString(_ index: Int, _ text: StaticString) -> Bool {
    let token = tokens[index]
    let count = text.utf8CodeUnitCount
    guard token.kind == .string, Int(token.end - token.start) == count, !token.isComplex else {
      return false
    }
    return bytes.withUnsafeBufferPointer { bytes in
      for offset in 0..<count
      where bytes[Int(token.start) + offset] != text.utf8Start[offset] { return false }
      return true
    }
  }

  /// Returns the bytes of the value at `range`.
  func withBytes<Result>(
    _ start: UInt32,
    _ end: UInt32,
    _ body: (UnsafeBufferPointer<UInt8>) -> Result
  ) -> Result {
    bytes.withUnsafeBufferPointer { body(UnsafeBufferPointer(rebasing: $0[Int(start)..<Int(end)])) }
  }
}

/// One value of a scanned JSON text.
package struct JSONNode: Sendable {
  package let document: JSONDocument
  let index: Int

  private var token: JSONToken { document.tokens[index] }

  package var kind: JSONToken.Kind { token.kind }

  package var isNull: Bool { token.kind == .null }

  /// Whether a string holds an escape, or a number a fraction or an exponent.
  package var isComplex: Bool { token.isComplex }

  /// The number of elements of an array, or of members of an object.
  package var count: Int { Int(token.count) }

  /// The range of the value's text in the document's bytes.
  package var range: Range<Int> {
    let quote = token.kind == .string ? 1 : 0
    return Int(token.start) - quote..<Int(token.end) + quote
  }

  /// Returns the characters of a string.
  ///
  /// - Throws: ``DepotError`` `request.type` if this isn't a string.
  package func string() throws(DepotError) -> String {
    guard token.kind == .string else { throw wrongType("a string") }
    return document.bytes.withUnsafeBufferPointer { JSONText.string(token, in: $0) }
  }

  /// Returns the position and the value of an object's member named `name`, which is ASCII.
  func member(_ name: StaticString) -> (position: Int, value: JSONNode)? {
    let end = Int(token.next)
    var child = index + 1
    var position = 0
    while child < end {
      if document.isString(child, name) {
        return (position, JSONNode(document: document, index: child + 1))
      }
      child = Int(document.tokens[child + 1].next)
      position += 1
    }
    return nil
  }

  /// Whether this is a string with exactly the characters of `text`, which is ASCII.
  package func isString(_ text: StaticString) -> Bool { document.isString(index, text) }

  /// Returns a whole number.
  ///
  /// A string of digits is accepted too, for clients that only have doubles.
  ///
  /// - Throws: ``DepotError`` `request.type` or `request.number_range`.
  package func int64() throws(DepotError) -> Int64 {
    if let value = withField(\.int64) { return value }
    guard withField({ $0.misfit(as: .int64) }) == nil else {
      throw DepotError(.numberRange, "The number is beyond 64 bits.").at(pointer)
    }
    throw wrongType("a whole number")
  }

  /// Returns a finite number.
  ///
  /// - Throws: ``DepotError`` `request.type` or `request.number_range`.
  package func double() throws(DepotError) -> Double {
    guard token.kind == .number else { throw wrongType("a number") }
    guard let value = document.withBytes(token.start, token.end, JSONNumber.double) else {
      throw DepotError(.numberRange, "The number is beyond what a double can hold.")
        .hint(ValueMisfit.doubleHint).at(pointer)
    }
    return value
  }

  /// - Throws: ``DepotError`` `request.type` if this is neither `true` nor `false`.
  package func bool() throws(DepotError) -> Bool {
    switch token.kind {
    case .true: return true
    case .false: return false
    default: throw wrongType("true or false")
    }
  }

  /// Returns the elements of an array.
  ///
  /// - Throws: ``DepotError`` `request.type` if this isn't an array.
  package func elements() throws(DepotError) -> [JSONNode] {
    guard token.kind == .array else { throw wrongType("an array") }
    var result: [JSONNode] = []
    result.reserveCapacity(count)
    var child = index + 1
    while child < Int(token.next) {
      result.append(JSONNode(document: document, index: child))
      child = Int(document.tokens[child].next)
    }
    return result
  }

  /// Returns the names and values of an object.
  ///
  /// - Throws: ``DepotError`` `request.type` if this isn't an object.
  package func members() throws(DepotError) -> [(name: JSONNode, value: JSONNode)] {
    guard token.kind == .object else { throw wrongType("an object") }
    var result: [(name: JSONNode, value: JSONNode)] = []
    result.reserveCapacity(count)
    var child = index + 1
    while child < Int(token.next) {
      let name = JSONNode(document: document, index: child)
      result.append((name, JSONNode(document: document, index: child + 1)))
      child = Int(document.tokens[child + 1].next)
    }
    return result
  }

  /// The JSON pointer (RFC 6901) from the outermost value to this one.
  package var pointer: String {
    var path = ""
    var container = 0
    while container != index {
      let isObject = document.tokens[container].kind == .object
      var child = container + 1
      var position = 0
      while true {
        let value = isObject ? child + 1 : child
        if index < Int(document.tokens[value].next) || index == child {
          let step =
            isObject
            ? JSONNode(document: document, index: child).pointerStep : String(position)
          path += "/" + step
          container = index == child ? index : value
          break
        }
        child = Int(document.tokens[value].next)
        position += 1
      }
    }
    return path
  }

  private var pointerStep: String {
    let name = (try? string()) ?? ""
    return name.replacing("~", with: "~0").replacing("/", with: "~1")
  }

  /// Returns the error that this value isn't `expected`.
  package func wrongType(_ expected: String) -> DepotError {
    DepotError(.type, "Expected \(expected), found \(token.kind).").at(pointer)
  }
}
