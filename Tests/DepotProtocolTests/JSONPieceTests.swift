import DepotProtocol
import TestSupport
import Testing

@Suite struct JSONPieceTests {
  @Test(arguments: TestSupport.seeds(10) as Range<UInt64>)
  func `a piece gives its writer the bytes that the writer writes by itself`(seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    var (direct, gathered) = (JSONWriter(), JSONWriter())
    withUnsafeTemporaryAllocation(of: UInt8.self, capacity: JSONPiece.capacity) { memory in
      var piece = JSONPiece(in: memory)
      for _ in 0..<300 {
        let comma = UInt8(ascii: ",")
        switch Int.random(in: 0..<6, using: &random) {
        case 0:
          let number = Self.number(using: &random)
          direct.integer(number)
          piece.integer(number, to: &gathered)
        case 1:
          let number = Self.number(using: &random)
          direct.raw(",")
          direct.integer(number)
          piece.integer(number, after: comma, to: &gathered)
        case 2:
          let number = Self.double(using: &random)
          direct.raw(",")
          direct.double(number)
          piece.double(number, after: comma, to: &gathered)
        case 3:
          var text = Self.text(using: &random)
          direct.raw(",")
          direct.string(text)
          let isWritten = text.withUTF8 { piece.string(utf8: $0, after: comma, to: &gathered) }
          #expect(isWritten)
        case 4:
          var bytes = Array(Self.text(using: &random).utf8)
          bytes.insert(0xFF, at: Int.random(in: 0...bytes.count, using: &random))
          let isWritten = bytes.withUnsafeBufferPointer {
            piece.string(utf8: $0, after: comma, to: &gathered)
          }
          #expect(!isWritten, "ill-formed text")
        default:
          direct.raw("null,")
          piece.raw("null", to: &gathered)
          piece.byte(comma, to: &gathered)
        }
      }
      piece.move(to: &gathered)
    }
    #expect(direct.bytes == gathered.bytes)
  }

  @Test(arguments: TestSupport.seeds(10) as Range<UInt64>)
  func `numbers are written as Swift describes them`(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    for _ in 0..<1000 {
      let number = Self.number(using: &random)
      #expect(JSONWriter.text { $0.integer(number) } == number.description)
      let double = Self.double(using: &random)
      guard double.isFinite else { continue }
      #expect(JSONWriter.text { $0.double(double) } == double.description)
    }
    let powers: [UInt64] = [10_000_000_000_000_000_000, 9_999_999_999_999_999_999]
    for number in powers + [.max, .max / 2] {
      #expect(JSONWriter.text { $0.integer(number) } == number.description)
    }
    for number in [.min, .max, 0, -1, 9, 10, 99, 100] as [Int64] {
      #expect(JSONWriter.text { $0.integer(number) } == number.description)
    }
    for double in [0, -0.0, 0x1p53, 0x1p54, -0x1p53, 1e15, .leastNonzeroMagnitude] as [Double] {
      #expect(JSONWriter.text { $0.double(double) } == double.description)
    }
    for exponent in -30...30 {
      let (ten, two) = (
        try #require(Double("1e\(exponent)")),
        Double(sign: .plus, exponent: exponent, significand: 1)
      )
      for double in [ten, two].flatMap({ [$0, $0.nextUp, $0.nextDown, $0 * 3, $0 / 7] }) {
        #expect(JSONWriter.text { $0.double(double) } == double.description)
      }
    }
  }

  private static func number(using random: inout SeededGenerator) -> Int64 {
    Int64.random(in: .min ... .max, using: &random) >> Int64.random(in: 0..<64, using: &random)
  }

  private static func double(using random: inout SeededGenerator) -> Double {
    let bits = UInt64.random(in: .min ... .max, using: &random)
    switch Int.random(in: 0..<6, using: &random) {
    case 0: return Double(number(using: &random)) / 8
    case 1:
      let tens: Double = random.pick([1e1, 1e2, 1e3, 1e5, 1e8, 1e12, 1e15, 1e19])
      return Double(number(using: &random)) / tens
    case 2, 3:
      // Numbers of usual size with any digits, or with few bits.
      let exponent = UInt64.random(in: 1023 - 16...1023 + 55, using: &random)
      let mask = random.once(in: 2) ? UInt64.max : UInt64.random(in: .min ... .max, using: &random)
      return Double(bitPattern: bits & mask & 0x800F_FFFF_FFFF_FFFF | exponent << 52)
    default: return Double(bitPattern: bits)
    }
  }

  /// Returns a text of any length, some with characters to escape or beyond ASCII.
  private static func text(using random: inout SeededGenerator) -> String {
    let length =
      random.once(in: 10)
      ? 2000 : Int.random(in: 0..<(random.once(in: 2) ? 60 : 10), using: &random)
    let isPlain = !random.once(in: 3)
    return String(
      (0..<length).map { _ in
        isPlain ? Character("x") : random.pick(["a", "\"", "\\", "\n", "\u{1}", "é", "🙂", "字"])
      }
    )
  }
}
