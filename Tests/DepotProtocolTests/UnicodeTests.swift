import DepotProtocol
import TestSupport
import Testing

@Suite struct UnicodeTests {
  /// All 1,112,064 scalars, a few thousand in each string.
  static let chunks: [String] = {
    var chunks: [String] = []
    for start in stride(from: UInt32(0), through: 0x10_FFFF, by: 4096) {
      var text = String.UnicodeScalarView()
      for value in start..<start + 4096 {
        if let scalar = Unicode.Scalar(value) { text.append(scalar) }
      }
      chunks.append(String(text))
    }
    return chunks
  }()

  @Test func `every Unicode scalar survives as it is`() throws {
    var count = 0
    for text in Self.chunks {
      let written = jsonText { $0.string(text) }
      let read = try JSONDocument(Array(written.utf8)).root.string()
      #expect(read.utf8.elementsEqual(text.utf8))
      count += text.unicodeScalars.count
    }
    #expect(count == 1_112_064)
  }

  @Test func `every Unicode scalar survives as an escape`() throws {
    for text in Self.chunks {
      var written = Array("\"".utf8)
      for unit in text.utf16 {
        written += "\\u".utf8
        for shift in [12, 8, 4, 0] {
          written.append(Array("0123456789abcDEF".utf8)[Int(unit >> UInt16(shift)) & 15])
        }
      }
      written += "\"".utf8
      let read = try JSONDocument(written).root.string()
      #expect(read.utf8.elementsEqual(text.utf8))
    }
  }

  @Test func `every code unit of a surrogate alone is refused`() {
    for unit in 0xD800...0xDFFF {
      let text = Array("\"\\u\(String(unit, radix: 16))\"".utf8)
      #expect(scanError(text) == JSONError(.loneSurrogate, at: 1))
    }
  }

  @Test func `every sequence of up to two bytes is judged as Swift judges it`() {
    for first in UInt8.min ... .max {
      for second in UInt8.min ... .max {
        let bytes = [first, second]
        let isValid = String(validating: bytes, as: UTF8.self) != nil
        #expect(bytes.withUnsafeBufferPointer { UTF8Sequence.isValid($0) } == isValid)
      }
    }
  }

  @Test func `random bytes are judged as Swift judges them`() {
    var generator = SeededGenerator(seed: 2)
    let pool: [UInt8] = [
      0x41, 0x7F, 0x80, 0x8F, 0x90, 0x9F, 0xA0, 0xBF, 0xC0, 0xC1, 0xC2, 0xDF, 0xE0, 0xE1, 0xED,
      0xEF, 0xF0, 0xF1, 0xF4, 0xF5, 0xFF,
    ]
    var valid = 0
    for _ in 0..<100_000 {
      let bytes = (0..<Int.random(in: 1...4, using: &generator)).map { _ in generator.pick(pool) }
      let isValid = String(validating: bytes, as: UTF8.self) != nil
      if isValid { valid += 1 }
      if bytes.withUnsafeBufferPointer({ UTF8Sequence.isValid($0) }) != isValid {
        Issue.record("\(bytes)")
      }
    }
    #expect(valid > 1000)
  }
}
