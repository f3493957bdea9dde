import DepotProtocol
import TestSupport
import Testing

@Suite struct JSONScannerTests {
  struct Vector: CustomTestStringConvertible {
    var name: String
    var code: String?
    var offset: Int64?
    var testDescription: String { name }
  }

  static func manifest() throws -> [Vector] {
    try Vectors.document("json/manifest.json")["vectors"]?.array?.map {
      Vector(name: $0["name"]?.string ?? "", code: $0["code"]?.string, offset: $0["offset"]?.int64)
    } ?? []
  }

  @Test func `every vector is accepted or refused as its manifest says`() throws {
    let vectors = try Self.manifest()
    #expect(vectors.count > 120)
    for vector in vectors {
      let bytes = try Vectors.bytes("json/\(vector.name)")
      #expect(vector.name.hasPrefix(vector.code == nil ? "y_" : "n_"))
      do {
        _ = try JSONDocument(bytes)
        #expect(vector.code == nil, "\(vector.name) was accepted")
      } catch {
        #expect(error.code.rawValue == vector.code, "\(vector.name): \(error)")
        #expect(error.details?["offset"]?.int64 == vector.offset, "\(vector.name): \(error)")
      }
    }
  }

  @Test func `the manifest lists every vector`() throws {
    let listed = try Self.manifest().map(\.name) + ["manifest.json"]
    #expect(try Vectors.names("json") == listed.sorted())
  }

  @Test func `every beginning of an accepted text is refused at its end`() throws {
    let text = Array(#"{"a":[1.5e-3,"x\u00e9\ud83d\ude00é😀",true,null],"b":{}}"#.utf8)
    #expect(scanError(text) == nil)
    for count in 0..<text.count {
      let error = try #require(scanError(Array(text.prefix(count))))
      #expect(error.offset <= count)
      // A multi-byte character or a pair may be cut, which shows where it begins.
      #expect(error.offset >= count - 11, "\(count): \(error)")
    }
  }

  @Test func `a byte changed at random is never a crash`() {
    var generator = SeededGenerator(seed: 1)
    let text = Array(#"{"a":[1.5e-3,"x\u00e9\ud83d\ude00é😀",true,null],"b":{"c":"\\"}}"#.utf8)
    var refused = 0
    for _ in 0..<20_000 {
      var bytes = text
      for _ in 0..<Int.random(in: 1...3, using: &generator) {
        bytes[generator.pick(Array(bytes.indices))] = .random(in: .min ... .max, using: &generator)
      }
      if scanError(bytes) != nil { refused += 1 }
    }
    #expect(refused > 10_000)
  }

  @Test(arguments: [1, 2, 64, 1000])
  func `containers may be nested up to the limit`(limit: Int) {
    func nested(_ depth: Int) -> [UInt8] {
      Array((String(repeating: "[", count: depth) + String(repeating: "]", count: depth)).utf8)
    }
    #expect(scanError(nested(limit), depth: limit) == nil)
    #expect(
      scanError(nested(limit + 1), depth: limit) == JSONError(.tooDeep(limit: limit), at: limit)
    )
  }

  @Test func `values are counted, names included`() {
    let text = Array(#"{"a":[1,2],"b":{}}"#.utf8)
    #expect(scanError(text, values: 7) == nil)
    #expect(scanError(text, values: 6) == JSONError(.tooManyValues(limit: 6), at: 15))
    #expect(
      scanError(Array("[{},{},{}]".utf8), values: 3) == JSONError(.tooManyValues(limit: 3), at: 7)
    )
  }

  @Test func `a frame of the largest size full of empty objects is refused by its values`() throws {
    let text = Array(("[{}" + String(repeating: ",{}", count: 1_000_000) + "]").utf8)
    let error = try #require(throws: DepotError.self) { try JSONDocument(text) }
    #expect(error.code == .tooManyValues)
  }

  @Test func `an error shows where it is`() throws {
    let error = try #require(throws: DepotError.self) {
      try JSONDocument(Array(#"{"entity":"Package","limit":01}"#.utf8))
    }
    #expect(error.message.contains("at byte 29"))
    #expect(error.hint?.contains("limit") == true)
  }

  @Test func `a value knows its JSON pointer`() throws {
    let document = try JSONDocument(Array(#"{"a/b":[0,{"c~d":[1,2]}],"e":{}}"#.utf8))
    let first = try #require(document.root.members().first)
    #expect(first.value.pointer == "/a~1b")
    let inner = try #require(first.value.elements().last?.members().first)
    #expect(inner.name.pointer == "/a~1b/1/c~0d")
    #expect(try inner.value.elements().map(\.pointer) == ["/a~1b/1/c~0d/0", "/a~1b/1/c~0d/1"])
    #expect(document.root.pointer.isEmpty)
  }

  @Test func `names equal only by canonical equivalence differ, however many there are`() {
    let few = Array(#"{"é":1,"e\#u{301}":2}"#.utf8)
    let many = (0..<20).map { "\"n\($0)\":0" }.joined(separator: ",")
    #expect(scanError(few) == nil)
    #expect(scanError(Array("{\(many),\"\u{e9}\":1,\"e\u{301}\":2}".utf8)) == nil)
    #expect(scanError(Array("{\(many),\"\u{e9}\":1,\"\\u00e9\":2}".utf8)) != nil)
  }

  @Test
  func `an object of very many names is checked in linear time`() throws {
    let members = (0..<100_000).map { "\"name\($0)\":0" }.joined(separator: ",")
    #expect(scanError(Array("{\(members)}".utf8)) == nil)
    let error = try #require(scanError(Array("{\(members),\"name77\":1}".utf8)))
    #expect(error.reason == .duplicateName("name77"))
  }
}
