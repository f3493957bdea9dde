/// A reader of the rows of one frame, value by value, straight from its bytes.
///
/// The peer's bytes needn't be validated before: bytes that aren't rows cause an error, never a
/// crash.
public struct RowReader: ~Copyable {
  let bytes: UnsafeBufferPointer<UInt8>
  var position: Int
  /// The number of values read in the row, or of elements in the current list.
  var index = 0
  /// The column index of the current list.
  var listColumn: Int?
  private var isFirstRow = true

  /// The identifier of the row that is being read.
  public private(set) var identifier: Int64 = 0
  /// The version of the row that is being read.
  public private(set) var version: Int64 = 0
  /// An index of the rows that relationships refer to; only the code that sets it knows its type.
  package var relatives: AnyObject?

  /// Creates a reader of the array of rows that begins at `start`, or of one row's values.
  package init(_ bytes: UnsafeBufferPointer<UInt8>, at start: Int = 0) throws(DepotError) {
    self.bytes = bytes
    position = start
    try expect("[")
  }

  /// Creates a reader of a value that stands alone, to be read with ``list(_:)`` or ``object(_:)``.
  package init(value bytes: UnsafeBufferPointer<UInt8>, at start: Int = 0) {
    self.bytes = bytes
    position = start
  }

  /// The number of bytes read.
  package var offset: Int { position }

  /// Moves to the next row, and to its first value; returns whether there is one.
  package mutating func beginRow() throws(DepotError) -> Bool {
    if peek() == UInt8(ascii: "]") {
      position += 1
      return false
    }
    if !isFirstRow { try expect(",") }
    isFirstRow = false
    guard peek() == UInt8(ascii: "[") else { throw notARow() }
    position += 1
    index = 0
    return true
  }

  /// Returns the error for a value in the place of a row.
  @inline(never)
  private func notARow() -> DepotError {
    var rest = RowReader(value: bytes, at: position)
    guard let field = try? rest.field() else { return malformed("\"[\"") }
    let message = "Expected an array of values, one for each column, found \(field.kind)."
    return DepotError(.type, message)
      .hint("Name the columns once, and give each row its values in their order.")
  }

  /// Reads the two values that every row of a reply begins with.
  package mutating func readIdentity() throws(DepotError) {
    identifier = if let short = shortInteger() { short } else { try int64(field()) }
    version = if let short = shortInteger() { short } else { try int64(field()) }
  }

  /// Ends the row.
  ///
  /// - Throws: ``DepotError`` if the row has more values.
  package mutating func endRow() throws(DepotError) {
    try expect("]")
  }

  /// Whether the row has no more values.
  package mutating func isAtEndOfRow() -> Bool { peek() == UInt8(ascii: "]") }

  /// Reads the next value of the row.
  package mutating func field() throws(DepotError) -> RowField {
    if index > 0 { try expect(",") }
    index += 1
    switch peek() {
    case UInt8(ascii: "\""): return try stringField()
    case UInt8(ascii: "n"): return try word("null", .null)
    case UInt8(ascii: "t"): return try word("true", .true)
    case UInt8(ascii: "f"): return try word("false", .false)
    case UInt8(ascii: "{"): return try nestedField(.object)
    case UInt8(ascii: "["): return try nestedField(.array)
    case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"): return try numberField()
    default: throw malformed("a value")
    }
  }

  /// Moves past the next value if it is null; returns whether it was.
  package mutating func skipNull() throws(DepotError) -> Bool {
    // White space is looked for only where the next bytes don't decide.
    if index > 0, position + 1 < bytes.count, bytes[position] == UInt8(ascii: ","),
      bytes[position + 1] > 0x20, bytes[position + 1] != UInt8(ascii: "n")
    {
      return false
    }
    let start = position
    if index > 0 { try expect(",") }
    if peek() == UInt8(ascii: "n") {
      index += 1
      _ = try word("null", .null)
      return true
    }
    position = start
    return false
  }

  /// Reads the next value if it is a number of at most 18 digits, as nearly all whole numbers are.
  ///
  /// - Returns: The number; `nil` if nothing was read.
  mutating func shortInteger() -> Int64? {
    var next = position
    if index > 0 {
      guard next < bytes.count, bytes[next] == UInt8(ascii: ",") else { return nil }
      next += 1
    }
    let isNegative = next < bytes.count && bytes[next] == UInt8(ascii: "-")
    if isNegative { next += 1 }
    let start = next
    var magnitude: Int64 = 0
    while next < bytes.count, bytes[next] &- 0x30 < 10 {
      magnitude = magnitude &* 10 &+ Int64(bytes[next] &- 0x30)
      next += 1
    }
    guard next > start, next - start <= 18, next < bytes.count,
      bytes[next] == UInt8(ascii: ",") || bytes[next] == UInt8(ascii: "]")
    else { return nil }
    position = next
    index += 1
    return isNegative ? -magnitude : magnitude
  }

  private mutating func stringField() throws(DepotError) -> RowField {
    let start = position + 1
    position = start
    let isComplex: Bool
    do {
      isComplex = try StringCheck.skip(bytes, from: &position)
    } catch {
      throw DepotError(error, in: bytes)
    }
    position += 1
    return RowField(
      kind: .string,
      isComplex: isComplex,
      bytes: UnsafeBufferPointer(rebasing: bytes[start..<position - 1])
    )
  }

  /// Reads a number; a complex one is checked when it is converted.
  private mutating func numberField() throws(DepotError) -> RowField {
    let start = position
    var isComplex = false
    if bytes[position] == UInt8(ascii: "-") { position += 1 }
    guard position < bytes.count, bytes[position] &- 0x30 < 10 else { throw malformed("a digit") }
    loop: while position < bytes.count {
      switch bytes[position] {
      case UInt8(ascii: "0")...UInt8(ascii: "9"): break
      case UInt8(ascii: "."), UInt8(ascii: "e"), UInt8(ascii: "E"), UInt8(ascii: "+"),
        UInt8(ascii: "-"):
        isComplex = true
      default: break loop
      }
      position += 1
    }
    return RowField(
      kind: .number,
      isComplex: isComplex,
      bytes: UnsafeBufferPointer(rebasing: bytes[start..<position])
    )
  }

  /// Reads an object or an array as it is written.
  private mutating func nestedField(_ kind: JSONToken.Kind) throws(DepotError) -> RowField {
    let start = position
    var depth = 0
    repeat {
      guard position < bytes.count else { throw malformed("the end of the \(kind)") }
      switch bytes[position] {
      case UInt8(ascii: "{"), UInt8(ascii: "["): depth += 1
      case UInt8(ascii: "}"), UInt8(ascii: "]"): depth -= 1
      case UInt8(ascii: "\""):
        _ = try stringField()
        continue
      default: break
      }
      position += 1
    } while depth > 0
    return RowField(
      kind: kind,
      isComplex: true,
      bytes: UnsafeBufferPointer(rebasing: bytes[start..<position])
    )
  }

  private mutating func word(
    _ text: StaticString,
    _ kind: JSONToken.Kind
  ) throws(DepotError) -> RowField {
    let end = position + text.utf8CodeUnitCount
    guard end <= bytes.count else { throw malformed("\(text)") }
    for offset in 0..<text.utf8CodeUnitCount
    where bytes[position + offset] != text.utf8Start[offset] {
      throw malformed("\(text)")
    }
    defer { position = end }
    return RowField(
      kind: kind,
      isComplex: false,
      bytes: UnsafeBufferPointer(rebasing: bytes[position..<end])
    )
  }

  /// Returns the next byte that isn't white space, or 0 at the end.
  @inline(__always)
  mutating func peek() -> UInt8 {
    while position < bytes.count {
      let byte = bytes[position]
      if byte > 0x20 { return byte }
      position += 1
    }
    return 0
  }

  @inline(__always)
  mutating func expect(_ character: Unicode.Scalar) throws(DepotError) {
    guard peek() == UInt8(ascii: character) else { throw malformed("\"\(character)\"") }
    position += 1
  }

  func malformed(_ expected: String) -> DepotError {
    DepotError(
      JSONError(.unexpectedByte(expected: expected), at: min(position, bytes.count)),
      in: bytes
    )
  }

  private func int64(_ field: RowField) throws(DepotError) -> Int64 {
    guard let value = field.int64 else { throw malformed("a whole number") }
    return value
  }
}
