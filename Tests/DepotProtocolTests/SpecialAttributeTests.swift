import Testing

@testable import DepotProtocol

@Suite struct SpecialAttributeTests {
  @Test(arguments: [
    Attribute(name: "a", type: .string, options: [.spotlight, .externalStorage]),
    Attribute(name: "a", type: .int64, width: .int8, isOptional: true, derivation: "b + 1"),
    Attribute(name: "a", type: .double, width: .float, isOptional: true, derivation: "b"),
    Attribute(
      name: "a",
      type: .int64,
      isOptional: true,
      validation: Attribute.Validation(minimum: .int64(0)),
      derivation: "b"
    ),
    Attribute(
      name: "a",
      type: .string,
      isOptional: true,
      options: .externalStorage,
      derivation: "uppercase(c)"
    ),
  ])
  func `options that exclude each other are refused`(_ attribute: Attribute) {
    let schema = Schema(entities: [Entity(name: "Thing", attributes: [attribute])])
    let error = #expect(throws: DepotError.self) { try schema.validate() }
    #expect(error?.code == .invalidSchema)
    #expect(error?.hint != nil)
  }

  @Test(arguments: [
    (
      Operation.readBlob(
        BlobReadRequest(entity: "A", identifier: 1, attribute: "b.c", offset: 5, length: 6)
      ),
      "{\"entity\":\"A\",\"id\":1,\"attribute\":\"b.c\",\"offset\":5,\"length\":6}"
    ),
    (
      .readBlob(BlobReadRequest(entity: "A", identifier: 1, attribute: "b")),
      "{\"entity\":\"A\",\"id\":1,\"attribute\":\"b\"}"
    ),
    (
      .writeBlob(
        BlobWriteRequest(
          entity: "A",
          identifier: 1,
          attribute: "b",
          data: "x",
          place: .offset(3),
          truncates: true
        )
      ),
      "{\"entity\":\"A\",\"id\":1,\"attribute\":\"b\",\"offset\":3,\"truncate\":true,\"data\":\"x\"}"
    ),
    (
      .writeBlob(
        BlobWriteRequest(entity: "A", identifier: 1, attribute: "b", data: "x", place: .end)
      ),
      "{\"entity\":\"A\",\"id\":1,\"attribute\":\"b\",\"append\":true,\"data\":\"x\"}"
    ),
    (
      .writeBlob(
        BlobWriteRequest(
          entity: "A",
          identifier: 1,
          attribute: "b",
          place: .offset(9),
          upload: "u",
          isFinal: true
        )
      ),
      """
      {"entity":"A","id":1,"attribute":"b","offset":9,"upload":"u","final":true,"data":""}
      """
    ),
  ])
  func `the requests about large values survive their JSON`(
    _ operation: Operation,
    _ json: String
  ) throws {
    var writer = JSONWriter()
    writer.write(operation)
    #expect(String(decoding: writer.bytes, as: UTF8.self) == json)
    let node = try JSONDocument(writer.bytes).root
    let name = try JSONDocument(Array("\"\(operation.name)\"".utf8)).root
    #expect(try Operation(name, arguments: node) == operation)
  }

  @Test func `a length is the end of a path in text and JSON`() throws {
    let predicate = try PredicateParser.parse("photo.image.$length > 5")
    #expect(
      predicate
        == .comparison(.greater, .attribute("photo.image.$length"), .value(.int64(5)))
    )
    #expect(try PredicateParser.parse(PredicatePrinter.text(predicate)) == predicate)
    #expect(throws: DepotError.self) { try PredicateParser.parse("a.$length.b == 1") }
    #expect(!KeyPathSyntax.isPath("$length"))
    #expect(KeyPathSyntax.isVariable("length"))
  }
}
