import DepotProtocol
import Testing

/// What a service does with the frames of a connection, without a store behind it.
///
/// It answers every call that can be decoded, so that what remains is the protocol itself.
private struct SessionModel {
  private(set) var welcomes = 0
  private(set) var answers: [ClientFrame] = []
  private(set) var errors: [(id: Int64?, DepotError)] = []
  private(set) var isClosed = false
  private var decoder = FrameDecoder()
  private var lastID: Int64 = 0

  mutating func receive(_ bytes: [UInt8]) {
    guard !isClosed else { return }
    bytes.withUnsafeBytes { decoder.receive($0) }
    do {
      while !isClosed, let event = try decoder.next() {
        switch event {
        case .frame(let bytes): try handle(ClientFrame(bytes))
        case .skipped(let count): errors.append((nil, FrameDecoder.tooLarge(count, 16 << 20)))
        }
      }
    } catch {
      errors.append((nil, error))
      isClosed = true
    }
  }

  private mutating func handle(_ frame: ClientFrame) throws(DepotError) {
    if case .hello(let hello) = frame {
      guard welcomes == 0 else { throw DepotError(.hello, "There was a hello.") }
      _ = try hello.negotiate()
      welcomes = 1
      return
    }
    guard welcomes == 1 else { throw DepotError(.hello, "There was no hello.") }
    switch frame {
    case .call(let call): try advance(to: call.id)
    case .invalidCall(let id, let error):
      try advance(to: id)
      return errors.append((id, error))
    case .invalidControl(let error): throw error
    default: break
    }
    answers.append(frame)
  }

  private mutating func advance(to id: Int64) throws(DepotError) {
    guard id > lastID else { throw DepotError(.sequence, "\(id) isn't over \(lastID).") }
    lastID = id
  }
}

@Suite struct FrameVectorTests {
  private func bytes(_ name: String) throws -> [UInt8] {
    let digits = try Vectors.bytes("frames/\(name).hex").compactMap {
      Character(Unicode.Scalar($0)).hexDigitValue
    }.map(UInt8.init)
    #expect(digits.count % 2 == 0)
    return stride(from: 0, to: digits.count, by: 2).map { digits[$0] << 4 | digits[$0 + 1] }
  }

  private func vectors() throws -> [JSONValue] {
    try #require(try Vectors.document("frames/manifest.json")["vectors"]?.array)
  }

  @Test func `every vector has the reaction that its manifest names`() throws {
    let vectors = try vectors()
    #expect(vectors.count >= 25)
    for vector in vectors {
      let name = try #require(vector["name"]?.string)
      let expect = try #require(vector["expect"])
      var session = SessionModel()
      session.receive(try bytes(name))
      #expect(session.welcomes == 1 || vector["welcome"]?.bool != true, "\(name)")
      #expect(session.isClosed == (expect["connection"]?.string == "closed"), "\(name)")
      if let code = expect["code"]?.string {
        #expect(session.errors.last?.1.code.rawValue == code, "\(name): \(session.errors)")
        #expect(session.errors.last?.id == expect["id"]?.int64, "\(name)")
        #expect(session.errors.count == 1, "\(name)")
      } else {
        #expect(session.errors.isEmpty, "\(name): \(session.errors)")
        #expect(expect["reply"]?.object?.isEmpty == false, "\(name)")
      }
      #expect(session.answers.count >= Int(vector["skip"]?.int64 ?? 0), "\(name)")
    }
  }

  @Test func `the reactions do not depend on how the bytes are cut`() throws {
    for vector in try vectors() {
      let name = try #require(vector["name"]?.string)
      let bytes = try bytes(name)
      var whole = SessionModel()
      whole.receive(bytes)
      var cut = SessionModel()
      for byte in bytes { cut.receive([byte]) }
      #expect(cut.errors.map(\.1.code) == whole.errors.map(\.1.code), "\(name)")
      #expect(cut.isClosed == whole.isClosed, "\(name)")
      #expect(cut.answers == whole.answers, "\(name)")
    }
  }

  @Test func `a kept connection goes on after what fills a skipped frame`() throws {
    for vector in try vectors() where vector["expect"]?["connection"]?.string == "kept" {
      let name = try #require(vector["name"]?.string)
      var session = SessionModel()
      session.receive(try bytes(name))
      if let count = vector["fill"]?.int64 {
        session.receive([UInt8](repeating: 0x20, count: Int(count)))
      }
      let isLines = try bytes(name).first == UInt8(ascii: "{")
      var writer = JSONWriter()
      if session.welcomes == 0 {
        FrameEncoder.append(isLines ? .lines : .length, to: &writer) { $0.write(Hello()) }
      }
      FrameEncoder.append(isLines ? .lines : .length, to: &writer) { $0.raw("{\"ping\":77}") }
      session.receive(writer.bytes)
      #expect(session.answers.last == .ping(77), "\(name)")
      #expect(!session.isClosed, "\(name)")
    }
  }

  @Test func `the manifest lists every vector`() throws {
    let listed = try vectors().compactMap { $0["name"]?.string }.map { $0 + ".hex" }
    #expect(try Vectors.names("frames") == (listed + ["manifest.json"]).sorted())
  }
}
