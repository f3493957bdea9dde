internal import DepotSQLite
internal import Glibc

/// Copies of values, one behind the other, found by their offsets.
struct ChangeArena {
  private var bytes: [UInt8] = []

  private enum Tag: UInt8 {
    case null
    case integer
    case real
    case text
    case blob
  }

  var count: Int { bytes.count }

  /// Forgets everything from an offset on.
  mutating func truncate(to count: Int) {
    bytes.removeLast(bytes.count - count)
  }

  /// Forgets everything, and gives up memory if it is much.
  mutating func removeAll() {
    bytes.removeAll(keepingCapacity: bytes.count < 1 << 20)
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
    case .null: bytes.append(Tag.null.rawValue)
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

  private mutating func add(_ tag: Tag, _ word: UInt64) {
    bytes.append(tag.rawValue)
    withUnsafeBytes(of: word) { word in
      word.withMemoryRebound(to: UInt8.self) { bytes.append(contentsOf: $0) }
    }
  }

  /// Reads a number, and moves the offset behind it.
  func number(_ offset: inout Int) -> Int {
    defer { offset += 2 }
    return Int(bytes[offset]) | Int(bytes[offset + 1]) << 8
  }

  /// Returns where the value at an offset ends.
  func end(of offset: Int) -> Int {
    switch Tag(rawValue: bytes[offset]) {
    case .integer, .real: offset + 9
    case .text, .blob: offset + 9 + Int(word(at: offset + 1))
    case .null, nil: offset + 1
    }
  }

  private func word(at offset: Int) -> UInt64 {
    bytes.withUnsafeBytes { $0.loadUnaligned(fromByteOffset: offset, as: UInt64.self) }
  }

  /// Whether two values are the same in every bit.
  func areEqual(_ first: Int, _ second: Int) -> Bool {
    bytes[first..<end(of: first)] == bytes[second..<end(of: second)]
  }

  /// Returns the integer at an offset; `nil` if something else is there.
  func integer(at offset: Int) -> Int64? {
    bytes[offset] == Tag.integer.rawValue ? Int64(bitPattern: word(at: offset + 1)) : nil
  }

  /// Calls `body` with the value at an offset, whose bytes are valid until it returns.
  func withCell<Result>(at offset: Int, _ body: (Cell) throws -> Result) rethrows -> Result {
    let word = end(of: offset) > offset + 1 ? word(at: offset + 1) : 0
    switch Tag(rawValue: bytes[offset]) {
    case .integer: return try body(.integer(Int64(bitPattern: word)))
    case .real: return try body(.real(Double(bitPattern: word)))
    case .text:
      return try bytes.withUnsafeBufferPointer {
        try body(.text(UnsafeBufferPointer(rebasing: $0[offset + 9..<offset + 9 + Int(word)])))
      }
    case .blob:
      return try bytes.withUnsafeBufferPointer {
        try body(.blob(UnsafeBufferPointer(rebasing: $0[offset + 9..<offset + 9 + Int(word)])))
      }
    case .null, nil: return try body(.null)
    }
  }
}

extension Cell {
  /// Reads a value of a change, whose bytes are valid as long as the change's are.
  init(_ value: ChangedValue) {
    switch value.kind {
    case .integer: self = .integer(value.integer)
    case .real: self = .real(value.real)
    case .text: self = .text(value.bytes)
    case .blob: self = .blob(value.bytes)
    case .null: self = .null
    }
  }

  /// Whether another value is the same in every bit.
  func isSame(as other: Cell) -> Bool {
    switch (self, other) {
    case (.null, .null): true
    case (.integer(let first), .integer(let second)): first == second
    case (.real(let first), .real(let second)): first.bitPattern == second.bitPattern
    case (.text(let first), .text(let second)), (.blob(let first), .blob(let second)):
      first.count == second.count
        && Self.areEqual(first.baseAddress, second.baseAddress, first.count)
    default: false
    }
  }

  @inline(__always)
  private static func areEqual(
    _ first: UnsafePointer<UInt8>?,
    _ second: UnsafePointer<UInt8>?,
    _ count: Int
  ) -> Bool {
    guard let first, let second else { return count == 0 }
    return memcmp(first, second, count) == 0
  }
}
