internal import DepotProtocol

/// The rows of a batch one after the other, as they stand in its text.
struct RowSplitter {
  private let rows: RowBatch
  /// The position in the text after the last examined row.
  private var position = 1
  /// The position in the text where the current piece begins.
  private var start = 1
  /// How many rows it has.
  private(set) var count = 0

  /// How much a row takes.
  struct Weight {
    var bytes = 0
    /// How many values it has at most.
    var values = 0
  }

  init(_ rows: RowBatch) {
    self.rows = rows
  }

  /// How many rows are in this piece and the ones before.
  private var taken = 0

  /// Whether there is no other row.
  var isAtEnd: Bool { taken == rows.count }

  /// Returns the size of the next row, without moving to it.
  func next() -> (weight: Weight, end: Int) {
    rows.json.withUnsafeBufferPointer { bytes in
      var index = position
      var depth = 0
      var isInText = false
      var weight = Weight()
      while index < bytes.count {
        let byte = bytes[index]
        index += 1
        if isInText {
          if byte == UInt8(ascii: "\\") { index += 1 }
          if byte == UInt8(ascii: "\"") { isInText = false }
          continue
        }
        switch byte {
        case UInt8(ascii: "\""): isInText = true
        case UInt8(ascii: "["), UInt8(ascii: "{"):
          depth += 1
          weight.values += 1
        case UInt8(ascii: ","), UInt8(ascii: ":"): weight.values += 1
        case UInt8(ascii: "]"), UInt8(ascii: "}"):
          depth -= 1
          if depth == 0 {
            weight.bytes = index - position
            weight.values += 1
            return (weight, index)
          }
        default: break
        }
      }
      return (weight, bytes.count - 1)
    }
  }

  /// Adds the row that ends there to the piece.
  mutating func take(to end: Int) {
    position = end
    count += 1
    taken += 1
  }

  /// Returns the piece, and begins another one.
  mutating func piece() -> RowBatch {
    defer {
      start = position
      count = 0
    }
    guard count > 0 else { return RowBatch() }
    var slice = rows.json[start..<position]
    if slice.first == UInt8(ascii: ",") { slice.removeFirst() }
    var json: [UInt8] = []
    json.reserveCapacity(slice.count + 2)
    json.append(UInt8(ascii: "["))
    json += slice
    json.append(UInt8(ascii: "]"))
    return RowBatch(json: json, count: count)
  }
}
