import DepotProtocol
import DepotSQLite
import Testing

@testable import DepotEngine

/// Work of a writer that is done bit by bit, or not again.
@Suite struct WriterStepTests {
  private func withWriter(_ schema: Schema, _ body: (Writer, String) throws -> Void) async throws {
    try await withStorePath { path in
      let writer = try #require(
        try StoreOpening(StoreConfiguration(path: path), nil).open().writer
      )
      try run(writer, .defineSchema(schema, isDryRun: false))
      try body(writer, path)
      try writer.close()
    }
  }

  private func run(_ writer: Writer, _ operation: DepotProtocol.Operation) throws {
    let outcome = try writer.run(.test(1, operation, of: 3))[0]
    #expect(outcome.isSuccess, "\(String(decoding: outcome.frame.prefix(1000), as: UTF8.self))")
  }

  @Test func `what a connection has uploaded goes in steps`() async throws {
    let schema = Schema(entities: [
      Entity(
        name: "Photo",
        attributes: [
          Attribute(name: "text", type: .string, isOptional: true, options: .externalStorage)
        ]
      )
    ])
    try await withWriter(schema) { writer, _ in
      try run(writer, Operation("insert", #"{"entity":"Photo","columns":["text"],"rows":[["a"]]}"#))
      let part = String(repeating: "x", count: 6 << 20)
      for index in 0..<3 {
        let place = #""id":1,"attribute":"text","upload":"u","offset":\#(index * part.utf8.count)"#
        try run(
          writer,
          Operation("blob.write", #"{"entity":"Photo",\#(place),"data":"\#(part)"}"#)
        )
      }
      func chunks() throws -> Int64? {
        try writer.connection.integer("SELECT count(*) FROM x_Photo")
      }
      #expect(try chunks() == 289)
      let end = WriteRequest.test(2, .ping, of: 3)
      end.endsConnection = true
      #expect(try writer.run(end)[0].isSuccess)
      #expect(writer.isPurgeDue)
      #expect(try chunks() == 289)
      #expect(try writer.purgeHistory())
      #expect(try chunks() == 33)
      while try writer.purgeHistory() {}
      #expect(try chunks() == 1)
      #expect(try writer.connection.integer("SELECT count(*) FROM depot_upload") == 0)
      #expect(!writer.isPurgeDue)
    }
  }

  @Test func `a schema that isn't adopted leaves what is known of the tables`() async throws {
    try await withWriter(.items) { writer, path in
      try run(writer, .item("a"))
      let table = try #require(writer.recorder.tables.first)
      var larger = Schema.items
      larger.entities[0].attributes.append(
        Attribute(name: "more", type: .string, isOptional: true)
      )
      try run(writer, .defineSchema(larger, isDryRun: true))
      try run(writer, .item("b"))
      #expect(writer.recorder.tables.first === table)
      try run(writer, .defineSchema(larger, isDryRun: false))
      try run(writer, .item("c"))
      #expect(writer.recorder.tables.first !== table)
      #expect(
        try writer.connection.integer("SELECT count(*) FROM depot_history WHERE kind = 0") == 3
      )
    }
  }
}
