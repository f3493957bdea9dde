/// A strict reader of JSON texts (RFC 8259) that lists the values it meets as tokens.
///
/// Beyond the grammar it refuses ill-formed UTF-8, lone surrogates, a repeated name in an object,
/// U+0000 in names, and texts deeper or larger than its limits. Later readers of the bytes need no
/// checks of their own.
package struct JSONScanner: ~Copyable {
  private let bytes: UnsafeBufferPointer<UInt8>
  private let depthLimit: Int
  private let valueLimit: Int
  private var position = 0
  private var tokens: [JSONToken]
  /// The index of the innermost open container; until it closes, `next` is its parent's index.
  private var container: Int?
  private var depth = 0

  /// Scans one JSON text.
  ///
  /// - Parameters:
  ///   - bytes: The whole text, at most 4 GiB.
  ///   - depthLimit: How many containers may be nested.
  ///   - valueLimit: How many values the text may hold, names included.
  ///   - tokens: An array whose storage is used again.
  /// - Returns: The tokens in the order of the text; in an object, each name before its value.
  /// - Throws: ``JSONError`` at the first byte that can't be accepted.
  package static func scan(
    _ bytes: UnsafeBufferPointer<UInt8>,
    depthLimit: Int = Limits.depth,
    valueLimit: Int = Limits.values,
    reusing tokens: consuming [JSONToken] = []
  ) throws(JSONError) -> [JSONToken] {
    var scanner = JSONScanner(
      bytes: bytes,
      depthLimit: depthLimit,
      valueLimit: valueLimit,
      tokens: tokens
    )
    return try scanner.run()
  }

  private init(
    bytes: UnsafeBufferPointer<UInt8>,
    depthLimit: Int,
    valueLimit: Int,
    tokens: consuming [JSONToken]
  ) {
    self.bytes = bytes
    self.depthLimit = depthLimit
    self.valueLimit = valueLimit
    self.tokens = tokens
    self.tokens.removeAll(keepingCapacity: true)
    self.tokens.reserveCapacity(min(bytes.count / 4 + 1, 1 << 16))
  }

  private mutating func run() throws(JSONError) -> [JSONToken] {
    try skipSpace()
    try value()
    while let container {
      try skipSpace()
      if tokens[container].kind == .object {
        try member(of: container)
      } else {
        try element(of: container)
      }
    }
    try? skipSpace()
    guard position == bytes.count else { throw JSONError(.trailingBytes, at: position) }
    return tokens
  }

  /// Reads the next part of an array: an element or the end.
  private mutating func element(of container: Int) throws(JSONError) {
    if try byte() == UInt8(ascii: "]") { return try close(container) }
    if tokens[container].count > 0 {
      try expect(",", or: "\",\" or \"]\"")
      try skipSpace()
    }
    tokens[container].count += 1
    try value()
  }

  /// Reads the next part of an object: a member or the end.
  private mutating func member(of container: Int) throws(JSONError) {
    if try byte() == UInt8(ascii: "}") { return try close(container) }
    if tokens[container].count > 0 {
      try expect(",", or: "\",\" or \"}\"")
      try skipSpace()
    }
    tokens[container].count += 1
    guard try byte() == UInt8(ascii: "\"") else {
      throw JSONError(.unexpectedByte(expected: "a name in quotation marks"), at: position)
    }
    try string()
    try skipSpace()
    try expect(":", or: "\":\"")
    try skipSpace()
    try value()
  }

  private mutating func value() throws(JSONError) {
    switch try byte() {
    case UInt8(ascii: "\""): try string()
    case UInt8(ascii: "{"): try begin(.object)
    case UInt8(ascii: "["): try begin(.array)
    case UInt8(ascii: "t"): try word("true", .true)
    case UInt8(ascii: "f"): try word("false", .false)
    case UInt8(ascii: "n"): try word("null", .null)
    case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"): try number()
    default: throw JSONError(.unexpectedByte(expected: "a value"), at: position)
    }
  }

  private mutating func begin(_ kind: JSONToken.Kind) throws(JSONError) {
    guard depth < depthLimit else {
      throw JSONError(.tooDeep(limit: depthLimit), at: position)
    }
    let parent = container
    container = tokens.count
    depth += 1
    try add(kind, from: position, to: position + 1)
    tokens[tokens.count - 1].next = parent.map { UInt32($0) } ?? .max
    position += 1
  }

  private mutating func close(_ index: Int) throws(JSONError) {
    position += 1
    let parent = tokens[index].next
    container = parent == .max ? nil : Int(parent)
    depth -= 1
    tokens[index].end = UInt32(position)
    tokens[index].next = UInt32(tokens.count)
    if tokens[index].kind == .object, tokens[index].count > 0 {
      try NameCheck(tokens: tokens, object: index, bytes: bytes).refuseDuplicates()
    }
  }

  private mutating func add(
    _ kind: JSONToken.Kind,
    from start: Int,
    to end: Int,
    isComplex: Bool = false
  ) throws(JSONError) {
    guard tokens.count < valueLimit else {
      throw JSONError(.tooManyValues(limit: valueLimit), at: start)
    }
    tokens.append(
      JSONToken(
        kind: kind,
        isComplex: isComplex,
        start: UInt32(start),
        end: UInt32(end),
        next: UInt32(tokens.count + 1),
        count: 0
      )
    )
  }

  private func byte() throws(JSONError) -> UInt8 {
    guard position < bytes.count else { throw JSONError(.unexpectedEnd, at: position) }
    return bytes[position]
  }

  private mutating func expect(_ wanted: Unicode.Scalar, or name: String) throws(JSONError) {
    guard try byte() == UInt8(ascii: wanted) else {
      throw JSONError(.unexpectedByte(expected: name), at: position)
    }
    position += 1
  }

  private mutating func skipSpace() throws(JSONError) {
    while position < bytes.count {
      switch bytes[position] {
      case 0x20, 0x09, 0x0A, 0x0D: position += 1
      default: return
      }
    }
    throw JSONError(.unexpectedEnd, at: position)
  }

  private mutating func word(_ text: StaticString, _ kind: JSONToken.Kind) throws(JSONError) {
    let start = position
    for offset in 0..<text.utf8CodeUnitCount {
      guard try byte() == text.utf8Start[offset] else {
        throw JSONError(.unexpectedByte(expected: "\(text)"), at: position)
      }
      position += 1
    }
    try add(kind, from: start, to: position)
  }

  private mutating func number() throws(JSONError) {
    let start = position
    let isComplex = try NumberCheck.skip(bytes, from: &position)
    try add(.number, from: start, to: position, isComplex: isComplex)
  }

  private mutating func string() throws(JSONError) {
    position += 1
    let start = position
    let isComplex = try StringCheck.skip(bytes, from: &position)
    try add(.string, from: start, to: position, isComplex: isComplex)
    position += 1
  }
}
