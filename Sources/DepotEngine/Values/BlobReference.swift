internal import DepotProtocol

/// The reference in a row to a text or to data that is stored outside the row.
///
/// The row's column holds it as a blob for a text and as a text for data, so that it can't be
/// confused with a value.
struct BlobReference: Hashable, Sendable {
  /// The number of the value in its ``BlobTable``.
  var number: Int64
  var length = 0
  /// The sum of the checksums of the chunks.
  ///
  /// It makes the row's column differ after bytes of the value were overwritten.
  private(set) var sum: UInt64 = 0
}

extension BlobReference {
  /// Parses a reference in the form of ``text``; `nil` if it is something else.
  init?(_ text: some Collection<UInt8>) {
    let parts = text.split(separator: UInt8(ascii: ":"), omittingEmptySubsequences: false)
    guard parts.count == 3, let number = Int64(String(decoding: parts[0], as: UTF8.self)),
      let length = Int(String(decoding: parts[1], as: UTF8.self)), length >= 0,
      let sum = UInt64(String(decoding: parts[2], as: UTF8.self), radix: 16)
    else { return nil }
    self.init(number: number, length: length, sum: sum)
  }

  var text: String { "\(number):\(length):\(String(sum, radix: 16))" }

  /// Adds a new chunk's checksum.
  mutating func add(_ chunk: UnsafeBufferPointer<UInt8>, at index: Int) {
    sum &+= checksum(chunk, index)
  }

  /// Subtracts a removed chunk's checksum.
  mutating func remove(_ chunk: UnsafeBufferPointer<UInt8>, at index: Int) {
    sum &-= checksum(chunk, index)
  }

  private func checksum(_ chunk: UnsafeBufferPointer<UInt8>, _ index: Int) -> UInt64 {
    var checksum = Checksum()
    checksum.add(UInt64(bitPattern: number))
    checksum.add(UInt64(index))
    checksum.add(UnsafeRawBufferPointer(chunk))
    return checksum.value
  }

  /// The reference in the form for the attribute's column.
  func cell(isText: Bool, in arena: CellArena) -> Cell {
    let bytes = arena.copy(Array(text.utf8))
    return isText ? .blob(bytes) : .text(bytes)
  }
}

extension Cell {
  /// The bytes of a value that must be stored outside its row; `nil` for a reference or null.
  func externalValue(isText: Bool) -> UnsafeBufferPointer<UInt8>? {
    switch self {
    case .text(let bytes) where isText: bytes
    case .blob(let bytes) where !isText: bytes
    default: nil
    }
  }

  /// The reference to a value that is stored outside its row; `nil` for a value or null.
  func reference(isText: Bool) -> BlobReference? {
    externalValue(isText: !isText).flatMap { BlobReference($0) }
  }
}
