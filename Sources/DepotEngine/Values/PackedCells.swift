internal import DepotSQLite

/// Copies of stored values in one byte array, found by their offsets.
///
/// Each value starts with a byte. For an integer it is 1 to 8, the number of following bytes, least
/// significant first; for a real number it is 9, with eight bytes; for a text 10 and for a blob 11,
/// with a count and as many bytes; null is 0. A count has seven bits in each byte, least
/// significant first, and the eighth bit is set if more bytes follow.
struct PackedCells: Equatable, Sendable {
  private(set) var bytes: [UInt8] = []

  private enum Kind {
    static let null: UInt8 = 0
    static let real: UInt8 = 9
    static let text: UInt8 = 10
    static let blob: UInt8 = 11
  }

  init() {}

  init(capacity: Int) { bytes.reserveCapacity(capacity) }

  init(_ values: [SQLiteValue]) {
    bytes.reserveCapacity(values.count * 5)
    for value in values { value.withCell { add($0) } }
  }

  init(_ cell: Cell) { add(cell) }

  var count: Int { bytes.count }

  /// Removes everything from an offset on.
  mutating func truncate(to count: Int) {
    bytes.removeLast(bytes.count - count)
  }

  /// Removes everything, and frees much memory unless more values are about to be added.
  mutating func removeAll(goesOn: Bool = false) {
    bytes.removeAll(keepingCapacity: goesOn || bytes.capacity < 1 << 20)
  }

  /// Adds the index of a column, or a count.
  mutating func add(_ number: Int) {
    bytes.append(UInt8(truncatingIfNeeded: number))
    bytes.append(UInt8(truncatingIfNeeded: number >> 8))
  }

  /// Replaces a number that was added.
  mutating func set(_ number: Int, at offset: Int) {
    bytes[offset] = UInt8(truncatingIfNeeded: number)
    bytes[offset + 1] = UInt8(truncatingIfNeeded: number >> 8)
  }

  /// Adds a number that isn't negative, in as few bytes as possible.
  @inline(__always)
  mutating func add(count: Int) {
    var rest = UInt(bitPattern: count)
    while rest > 0x7F {
      bytes.append(UInt8(truncatingIfNeeded: rest) | 0x80)
      rest >>= 7
    }
    bytes.append(UInt8(truncatingIfNeeded: rest))
  }

  /// Adds the bytes of another collection of cells.
  mutating func add(_ packed: some Collection<UInt8>) { bytes.append(contentsOf: packed) }

  mutating func add(_ packed: UnsafeRawBufferPointer) { bytes.append(contentsOf: packed) }

  mutating func add(_ cell: Cell) {
    switch cell {
    case .null: bytes.append(Kind.null)
    case .integer(let value):
      let bits = 65 - (value ^ (value >> 63)).leadingZeroBitCount
      add(UInt8(truncatingIfNeeded: (bits + 7) / 8), UInt64(bitPattern: value), (bits + 7) / 8)
    case .real(let value): add(Kind.real, value.bitPattern, 8)
    case .text(let text): add(Kind.text, text)
    case .blob(let blob): add(Kind.blob, blob)
    }
  }

  private mutating func add(_ kind: UInt8, _ word: UInt64, _ count: Int) {
    withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 9) { packed in
      packed[0] = kind
      let raw = UnsafeMutableRawBufferPointer(packed)
      raw.storeBytes(of: word.littleEndian, toByteOffset: 1, as: UInt64.self)
      bytes.append(contentsOf: UnsafeRawBufferPointer(rebasing: raw[..<(1 + count)]))
    }
  }

  private mutating func add(_ kind: UInt8, _ part: UnsafeBufferPointer<UInt8>) {
    bytes.append(kind)
    add(count: part.count)
    bytes.append(contentsOf: part)
  }

  /// Reads a number, and advances the offset.
  func number(_ offset: inout Int) -> Int {
    defer { offset += 2 }
    return Int(bytes[offset]) | Int(bytes[offset + 1]) << 8
  }

  /// Reads a number written by ``add(count:)``, and advances the offset.
  ///
  /// It is `nil` at the end, and if the bytes are damaged.
  static func count(in bytes: UnsafeRawBufferPointer, _ offset: inout Int) -> Int? {
    var result: UInt = 0
    var shift: UInt = 0
    while offset < bytes.count, shift < 64 {
      let byte = bytes[offset]
      offset += 1
      result |= UInt(byte & 0x7F) << shift
      if byte < 0x80 { return Int(bitPattern: result) }
      shift += 7
    }
    return nil
  }

  /// Reads a value that points into the given bytes, and advances the offset.
  ///
  /// It is `nil` at the end, and if the bytes are damaged.
  static func next(in bytes: UnsafeRawBufferPointer, _ offset: inout Int) -> Cell? {
    guard offset < bytes.count else { return nil }
    let kind = bytes[offset]
    offset += 1
    switch kind {
    case Kind.null: return .null
    case 1...8: return integer(in: bytes, &offset, Int(kind)).map { .integer($0) }
    case Kind.real:
      return integer(in: bytes, &offset, 8).map {
        .real(Double(bitPattern: UInt64(bitPattern: $0)))
      }
    case Kind.text, Kind.blob:
      guard let count = count(in: bytes, &offset), count >= 0, count <= bytes.count - offset else {
        return nil
      }
      let part = UnsafeRawBufferPointer(rebasing: bytes[offset..<offset + count])
        .assumingMemoryBound(to: UInt8.self)
      offset += count
      return kind == Kind.text ? .text(part) : .blob(part)
    default: return nil
    }
  }

  private static func integer(
    in bytes: UnsafeRawBufferPointer,
    _ offset: inout Int,
    _ count: Int
  ) -> Int64? {
    guard count <= bytes.count - offset else { return nil }
    defer { offset += count }
    if count == 1 { return Int64(Int8(bitPattern: bytes[offset])) }
    var word: UInt64 = 0
    for place in (0..<count).reversed() { word = word << 8 | UInt64(bytes[offset + place]) }
    // The sign is the most significant bit of the bytes that are there.
    let free = 64 - 8 * count
    return Int64(bitPattern: word << UInt64(free)) >> Int64(free)
  }

  /// Returns the value at an offset; it points into the given bytes.
  static func cell(in bytes: UnsafeRawBufferPointer, at offset: Int) -> Cell {
    var offset = offset
    return next(in: bytes, &offset) ?? .null
  }

  /// Returns the offset after the value at an offset.
  func end(of offset: Int) -> Int {
    var end = offset
    bytes.withUnsafeBytes { _ = Self.next(in: $0, &end) }
    return end
  }

  /// Whether two values are identical in every bit.
  func areEqual(_ first: Int, _ second: Int) -> Bool {
    bytes[first..<end(of: first)] == bytes[second..<end(of: second)]
  }

  /// Returns the integer at an offset; `nil` if another value is there.
  func integer(at offset: Int) -> Int64? {
    bytes.withUnsafeBytes {
      if case .integer(let value) = Self.cell(in: $0, at: offset) { value } else { nil }
    }
  }
}

extension SQLiteValue {
  /// The blob to bind for a constant list.
  static func list(_ values: [SQLiteValue]) -> SQLiteValue { .blob(PackedCells(values).bytes) }

  /// Calls `body` with the value, whose bytes are valid only during the call.
  fileprivate func withCell(_ body: (Cell) -> Void) {
    switch self {
    case .null: body(.null)
    case .integer(let value): body(.integer(value))
    case .real(let value): body(.real(value))
    case .text(var text): text.withUTF8 { body(.text($0)) }
    case .blob(let blob): blob.withUnsafeBufferPointer { body(.blob($0)) }
    }
  }
}
