/// What a row holds of a text or of data that is stored outside it.
///
/// It is in the row's column, so the row's checksum covers it: a blob for a text and a text for
/// data, so that it can't be taken for a value.
struct BlobReference: Hashable, Sendable {
  /// The number of the value in its ``BlobTable``.
  var number: Int64
  var length = 0
  /// The sum of the checksums of the chunks.
  var sum: UInt64 = 0

  init(number: Int64) {
    self.number = number
  }

  /// Reads what ``text`` wrote; `nil` if it is something else.
  init?(_ text: some Collection<UInt8>) {
    let parts = text.split(separator: UInt8(ascii: ":"), omittingEmptySubsequences: false)
    guard parts.count == 3, let number = Int64(String(decoding: parts[0], as: UTF8.self)),
      let length = Int(String(decoding: parts[1], as: UTF8.self)), length >= 0,
      let sum = UInt64(String(decoding: parts[2], as: UTF8.self), radix: 16)
    else { return nil }
    self.number = number
    self.length = length
    self.sum = sum
  }

  var text: String { "\(number):\(length):\(String(sum, radix: 16))" }

  /// How many chunks there are; at least one, so that the number is taken.
  var chunkCount: Int { max(1, (length + BlobTable.chunkBytes - 1) / BlobTable.chunkBytes) }

  /// The reference as the column of an attribute has it.
  func cell(isText: Bool, in arena: CellArena) -> Cell {
    let bytes = arena.copy(Array(text.utf8))
    return isText ? .blob(bytes) : .text(bytes)
  }
}

extension Cell {
  /// The bytes of a value that is to be stored outside its row; `nil` for a reference and null.
  func externalValue(isText: Bool) -> UnsafeBufferPointer<UInt8>? {
    switch self {
    case .text(let bytes) where isText: bytes
    case .blob(let bytes) where !isText: bytes
    default: nil
    }
  }
}
