internal import DepotSQLite

/// Copies of values as they are stored, one behind the other, found by their offsets.
///
/// Each is a byte for its kind, and then eight bytes of a number, or of a count and so many bytes; the
/// least byte is first.
struct PackedCells {
  private(set) var bytes: [UInt8] = []

  private enum Kind: UInt8 {
    case null
    case integer
    case real
    case text
    case blob
  }

  init() {}

  init(_ values: [SQLiteValue]) {
    bytes.reserveCapacity(values.count * 9)
    for value in values { value.withCell { add($0) } }
  }

  var count: Int { bytes.count }

  /// Forgets everything from an offset on.
  mutating func truncate(to count: Int) {
    bytes.removeLast(bytes.count - count)
  }

  /// Forgets everything, and gives up memory if it is much, unless more comes at once.
  mutating func removeAll(goesOn: Bool = false) {
    bytes.removeAll(keepingCapacity: goesOn || bytes.capacity < 1 << 20)
  }

  /// Adds the place of a column, or how many follow.
  mutating func add(_ number: Int) {
    bytes.append(UInt8(truncatingIfNeeded: number))
    bytes.append(UInt8(truncatingIfNeeded: number >> 8))
  }

  /// Puts a number into the place of one that was added.
  mutating func set(_ number: Int, at offset: Int) {
    bytes[offset] = UInt8(truncatingIfNeeded: number)
    bytes[offset + 1] = UInt8(truncatingIfNeeded: number >> 8)
  }

  mutating func add(_ cell: Cell) {
    switch cell {
    case .null: bytes.append(Kind.null.rawValue)
    case .integer(let value): add(.integer, UInt64(bitPattern: value))
    case .real(let value): add(.real, value.bitPattern)
    case .text(let text):
      add(.text, UInt64(text.count))
      bytes.append(contentsOf: text)
    case .blob(let blob):
      add(.blob, UInt64(blob.count))
      bytes.append(contentsOf: blob)
    }
  }

  private mutating func add(_ kind: Kind, _ word: UInt64) {
    withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 9) { packed in
      packed[0] = kind.rawValue
      UnsafeMutableRawBufferPointer(packed)
        .storeBytes(of: word.littleEndian, toByteOffset: 1, as: UInt64.self)
      bytes.append(contentsOf: packed)
    }
  }

  /// Reads a number, and moves the offset behind it.
  func number(_ offset: inout Int) -> Int {
    defer { offset += 2 }
    return Int(bytes[offset]) | Int(bytes[offset + 1]) << 8
  }

  /// Reads a value, whose bytes are those that are given, and moves the offset behind it; `nil` at the
  /// end, and if it is damaged.
  static func next(in bytes: UnsafeRawBufferPointer, _ offset: inout Int) -> Cell? {
    guard offset < bytes.count, let kind = Kind(rawValue: bytes[offset]) else { return nil }
    offset += 1
    if kind == .null { return .null }
    guard offset + 8 <= bytes.count else { return nil }
    let word = UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self))
    offset += 8
    switch kind {
    case .null: return .null
    case .integer: return .integer(Int64(bitPattern: word))
    case .real: return .real(Double(bitPattern: word))
    case .text, .blob:
      guard let count = Int(exactly: word), count <= bytes.count - offset else { return nil }
      let part = UnsafeRawBufferPointer(rebasing: bytes[offset..<offset + count])
        .assumingMemoryBound(to: UInt8.self)
      offset += count
      return kind == .text ? .text(part) : .blob(part)
    }
  }

  /// Returns the value at an offset, whose bytes are those that are given.
  static func cell(in bytes: UnsafeRawBufferPointer, at offset: Int) -> Cell {
    var offset = offset
    return next(in: bytes, &offset) ?? .null
  }

  /// Returns where the value at an offset ends.
  func end(of offset: Int) -> Int {
    var end = offset
    bytes.withUnsafeBytes { _ = Self.next(in: $0, &end) }
    return end
  }

  /// Whether two values are the same in every bit.
  func areEqual(_ first: Int, _ second: Int) -> Bool {
    bytes[first..<end(of: first)] == bytes[second..<end(of: second)]
  }

  /// Returns the integer at an offset; `nil` if something else is there.
  func integer(at offset: Int) -> Int64? {
    bytes.withUnsafeBytes {
      if case .integer(let value) = Self.cell(in: $0, at: offset) { value } else { nil }
    }
  }
}

extension SQLiteValue {
  /// The blob to bind for a constant list.
  static func list(_ values: [SQLiteValue]) -> SQLiteValue { .blob(PackedCells(values).bytes) }

  /// Calls `body` with the value, whose bytes are valid until it returns.
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
