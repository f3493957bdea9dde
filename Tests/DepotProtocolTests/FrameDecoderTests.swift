import DepotProtocol
import TestSupport
import Testing

@Suite struct FrameDecoderTests {
  /// Feeds `bytes` in chunks and returns all events.
  private func events(
    _ bytes: [UInt8],
    chunk: Int,
    limit: Int = 100
  ) throws -> [FrameDecoder.Event] {
    var decoder = FrameDecoder(limit: limit)
    var result: [FrameDecoder.Event] = []
    for start in stride(from: 0, to: bytes.count, by: chunk) {
      bytes[start..<min(start + chunk, bytes.count)].withUnsafeBytes { decoder.receive($0) }
      while let event = try decoder.next() { result.append(event) }
    }
    return result
  }

  private func prefixed(_ frames: [[UInt8]]) -> [UInt8] {
    var writer = JSONWriter()
    for frame in frames { FrameEncoder.append(.length, to: &writer) { $0.raw(frame) } }
    return writer.bytes
  }

  static let frames: [[UInt8]] = [
    "{}", "{\"a\":1}", "x", String(repeating: "y", count: 100), "{\n}",
  ]
  .map { Array($0.utf8) }

  @Test(arguments: ["HTTP/1.1 400 Bad Request\r\n", "{\"a\":1}\n", "SSH-2.0"])
  func `the answer of another program isn't taken for a large frame`(text: String) {
    var decoder = FrameDecoder.ofService
    Array(text.utf8).withUnsafeBytes { decoder.receive($0) }
    let error = #expect(throws: DepotError.self) { try decoder.next() }
    #expect(error?.code == .frame)
    #expect(error?.message.contains("isn't a Depot service") == true)
  }

  @Test(arguments: 1...15)
  func `a stream of lengths gives the same frames in chunks of any size`(chunk: Int) throws {
    let bytes = prefixed(Self.frames)
    #expect(try events(bytes, chunk: chunk) == Self.frames.map { .frame($0) })
  }

  @Test(arguments: 1...15)
  func `a stream of lines gives the same frames in chunks of any size`(chunk: Int) throws {
    let bytes = Array("{\"a\":1}\n\n{}\r\n\r\n\nnot json\n{\"b\":2}\n{\"unfinished\"".utf8)
    let expected = ["{\"a\":1}", "{}", "not json", "{\"b\":2}"].map { Array($0.utf8) }
    #expect(try events(bytes, chunk: chunk) == expected.map { .frame($0) })
  }

  @Test(arguments: 1...15)
  func `a frame over the limit is skipped and the next one is read`(chunk: Int) throws {
    let large = [UInt8](repeating: 0x20, count: 101)
    let bytes = prefixed([Self.frames[0], large, Self.frames[1], large, large, Self.frames[2]])
    #expect(
      try events(bytes, chunk: chunk) == [
        .frame(Self.frames[0]), .skipped(101), .frame(Self.frames[1]), .skipped(101), .skipped(101),
        .frame(Self.frames[2]),
      ]
    )
  }

  @Test func `a large frame is reported as soon as its length has come`() throws {
    #expect(try events([1, 0x10, 0, 0], chunk: 4) == [.skipped(0x110_0000)])
  }

  @Test(arguments: [[0xFF, 0xFF, 0xFF, 0xFF], [4, 0, 0, 1]] as [[UInt8]])
  func `a length beyond what is skipped ends the connection`(bytes: [UInt8]) throws {
    let error = try #require(throws: DepotError.self) { try events(bytes, chunk: 4) }
    #expect(error.code == .frameTooLarge)
  }

  @Test(arguments: 1...15)
  func `a line over the limit ends the connection, ended or not`(chunk: Int) throws {
    let line = Array(("{" + String(repeating: "x", count: 115)).utf8)
    for bytes in [line, line + [0x0A]] {
      let error = try #require(throws: DepotError.self) { try events(bytes, chunk: chunk) }
      #expect(error.code == .frameTooLarge)
    }
  }

  @Test func `a line of exactly the limit is a frame`() throws {
    let line = Array(("{" + String(repeating: "x", count: 99)).utf8)
    #expect(try events(line + [0x0A], chunk: 7) == [.frame(line)])
  }

  @Test func `the first byte decides the framing`() throws {
    for first in UInt8.min ... .max {
      var decoder = FrameDecoder()
      [first].withUnsafeBytes { decoder.receive($0) }
      switch first {
      case 0...4, 0xFF:
        #expect(try decoder.next() == nil)
        #expect(decoder.framing == .length)
      case UInt8(ascii: "{"):
        #expect(try decoder.next() == nil)
        #expect(decoder.framing == .lines)
      default:
        let error = #expect(throws: DepotError.self) { try decoder.next() }
        #expect(error?.code == .frame)
      }
    }
  }

  @Test func `an empty frame is refused`() throws {
    let error = try #require(throws: DepotError.self) { try events([0, 0, 0, 0], chunk: 1) }
    #expect(error.code == .frame)
  }

  @Test func `a length alone claims no memory`() throws {
    var decoder = FrameDecoder()
    [UInt8]([1, 0, 0, 0, 0x7B]).withUnsafeBytes { decoder.receive($0) }
    #expect(try decoder.next() == nil)
    #expect(decoder.pendingCount == 5)
  }

  @Test func `both framings are written as they are read`() throws {
    for framing in [FrameDecoder.Framing.length, .lines] {
      var writer = JSONWriter()
      FrameEncoder.append(framing, to: &writer) { $0.write(JSONValue.object(["a": .string("\n")])) }
      FrameEncoder.append(framing, to: &writer) { $0.raw("{}") }
      let expected = [#"{"a":"\n"}"#, "{}"].map { FrameDecoder.Event.frame(Array($0.utf8)) }
      #expect(try events(writer.bytes, chunk: 3) == expected)
    }
  }

  @Test func `random chunks of many frames give all of them`() throws {
    var generator = SeededGenerator(seed: 9)
    var frames: [[UInt8]] = []
    for _ in 0..<500 {
      frames.append([UInt8](repeating: 0x61, count: Int.random(in: 1...300, using: &generator)))
    }
    let bytes = prefixed(frames)
    var decoder = FrameDecoder()
    var result: [FrameDecoder.Event] = []
    var start = 0
    while start < bytes.count {
      let end = min(bytes.count, start + Int.random(in: 1...2000, using: &generator))
      bytes[start..<end].withUnsafeBytes { decoder.receive($0) }
      while let event = try decoder.next() { result.append(event) }
      start = end
    }
    #expect(result == frames.map { .frame($0) })
    #expect(decoder.pendingCount == 0)
  }
}
