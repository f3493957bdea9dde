internal import DepotProtocol

/// A decompressor for DEFLATE (RFC 1951), the compression of models in Core Data's stores.
struct Inflate {
  /// The maximal number of decompressed bytes: a small input can stand for a very large output.
  private static let limit = 64 << 20

  private let input: [UInt8]
  private var position = 0
  private var bits: UInt32 = 0
  private var bitCount = 0
  private var output: [UInt8] = []

  private init(_ input: [UInt8]) { self.input = input }

  /// Returns the decompressed bytes of data with or without the header of zlib (RFC 1950).
  ///
  /// - Throws: ``DepotError`` `storage.corrupt` if it is damaged, or larger than 64 MiB.
  static func unpack(_ bytes: [UInt8]) throws(DepotError) -> [UInt8] {
    let hasFrame =
      bytes.count > 2 && bytes[0] & 0x0F == 8 && (Int(bytes[0]) << 8 | Int(bytes[1])) % 31 == 0
    var inflate = Inflate(hasFrame ? Array(bytes.dropFirst(2)) : bytes)
    while try !inflate.block() {}
    return inflate.output
  }

  private static let damaged = DepotError(.corrupt, "A packed value is damaged.")

  private mutating func take(_ count: Int) throws(DepotError) -> Int {
    while bitCount < count {
      guard position < input.count else { throw Self.damaged }
      bits |= UInt32(input[position]) << UInt32(bitCount)
      position += 1
      bitCount += 8
    }
    let value = bits & ((1 << UInt32(count)) - 1)
    bits >>= UInt32(count)
    bitCount -= count
    return Int(value)
  }

  /// Unpacks a block, and returns whether it was the last.
  private mutating func block() throws(DepotError) -> Bool {
    let isLast = try take(1) == 1
    switch try take(2) {
    case 0: try copyStored()
    case 1: try unpack(.fixed, .fixedDistances)
    case 2:
      let (literals, distances) = try codes()
      try unpack(literals, distances)
    default: throw Self.damaged
    }
    return isLast
  }

  private mutating func copyStored() throws(DepotError) {
    (bits, bitCount) = (0, 0)
    guard position + 4 <= input.count else { throw Self.damaged }
    let count = Int(input[position]) | Int(input[position + 1]) << 8
    position += 4
    guard position + count <= input.count, output.count + count <= Self.limit else {
      throw Self.damaged
    }
    output += input[position..<position + count]
    position += count
  }

  private static let lengthOrder = [
    16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15,
  ]

  private mutating func codes() throws(DepotError) -> (Huffman, Huffman) {
    let literalCount = try take(5) + 257
    let distanceCount = try take(5) + 1
    let codeCount = try take(4) + 4
    var lengths = [Int](repeating: 0, count: 19)
    for place in Self.lengthOrder.prefix(codeCount) { lengths[place] = try take(3) }
    let code = Huffman(lengths)
    lengths = []
    while lengths.count < literalCount + distanceCount {
      switch try symbol(code) {
      case let length where length < 16: lengths.append(length)
      case 16:
        guard let last = lengths.last else { throw Self.damaged }
        lengths += Array(repeating: last, count: try take(2) + 3)
      case 17: lengths += Array(repeating: 0, count: try take(3) + 3)
      default: lengths += Array(repeating: 0, count: try take(7) + 11)
      }
    }
    let rest = lengths[literalCount...].prefix(distanceCount)
    return (Huffman(Array(lengths[..<literalCount])), Huffman(Array(rest)))
  }

  private mutating func symbol(_ code: Huffman) throws(DepotError) -> Int {
    var (value, first, index) = (0, 0, 0)
    for length in 1...15 {
      value |= try take(1)
      let count = code.counts[length]
      if value - count < first { return code.symbols[index + value - first] }
      index += count
      first = (first + count) << 1
      value <<= 1
    }
    throw Self.damaged
  }

  private static let lengthBases = [
    3, 4, 5, 6, 7, 8, 9, 10, 11, 13, 15, 17, 19, 23, 27, 31, 35, 43, 51, 59, 67, 83, 99, 115, 131,
    163, 195, 227, 258,
  ]
  private static let lengthBits = [
    0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3, 4, 4, 4, 4, 5, 5, 5, 5, 0,
  ]
  private static let distanceBases = [
    1, 2, 3, 4, 5, 7, 9, 13, 17, 25, 33, 49, 65, 97, 129, 193, 257, 385, 513, 769, 1025, 1537,
    2049, 3073, 4097, 6145, 8193, 12289, 16385, 24577,
  ]

  private mutating func unpack(
    _ literals: Huffman,
    _ distances: Huffman
  ) throws(DepotError) {
    while true {
      let symbol = try symbol(literals)
      if symbol == 256 { return }
      guard output.count < Self.limit else { throw Self.damaged }
      if symbol < 256 {
        output.append(UInt8(symbol))
        continue
      }
      guard symbol - 257 < Self.lengthBases.count else { throw Self.damaged }
      let length = try Self.lengthBases[symbol - 257] + take(Self.lengthBits[symbol - 257])
      let place = try self.symbol(distances)
      guard place < Self.distanceBases.count else { throw Self.damaged }
      let distance = try Self.distanceBases[place] + take(max(0, place / 2 - 1))
      guard distance <= output.count else { throw Self.damaged }
      for _ in 0..<length { output.append(output[output.count - distance]) }
    }
  }

  /// A prefix code, given by the numbers of its words of each length.
  private struct Huffman {
    var counts = [Int](repeating: 0, count: 16)
    var symbols: [Int] = []

    init(_ lengths: [Int]) {
      for length in lengths where length > 0 { counts[length] += 1 }
      for length in 1...15 {
        symbols += lengths.indices.filter { lengths[$0] == length }
      }
    }

    static let fixed = Huffman(
      [Int](repeating: 8, count: 144) + [Int](repeating: 9, count: 112)
        + [Int](repeating: 7, count: 24) + [Int](repeating: 8, count: 8)
    )
    static let fixedDistances = Huffman([Int](repeating: 5, count: 30))
  }
}
