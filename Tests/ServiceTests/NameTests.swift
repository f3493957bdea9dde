import DepotClient
import DepotProtocol
import TestSupport
import Testing

extension ServiceTests {
  /// Names of any letters, over a real service.
  @Suite(.serialized) struct NameTests {
    /// A service with a schema of random names, and what its rows should be.
    private struct World {
      var names: [String]
      var entity: String { names[0] }
      var number: String { names[1] }
      var text: String { names[2] }
      var part: String { "\(names[3]).\(names[4])" }
      var other: String { names[5] }
      var link: String { names[6] }
      var back: String { names[7] }
      /// What the number is called in the next version.
      var next: String { names[9] }

      init(_ generator: inout SeededGenerator) {
        var seen: Set<String> = []
        names = []
        while names.count < 10 {
          let name = generator.unicodeName()
          if seen.insert(NameSyntax.folded(name)).inserted { names.append(name) }
        }
      }

      func schema(number: String, version: Int, originalName: String? = nil) -> Schema {
        Schema(
          version: SchemaVersion(version, 0, 0),
          entities: [
            Entity(
              name: entity,
              attributes: [
                Attribute(name: number, type: .int64, originalName: originalName),
                Attribute(name: text, type: .string, isOptional: true, options: .spotlight),
                Attribute(
                  name: names[3],
                  type: .composite,
                  properties: [Attribute(name: names[4], type: .double, isIndexed: true)]
                ),
              ],
              relationships: [
                Relationship(name: link, destination: other, inverse: back, isOptional: true)
              ],
              indexes: [[number, text]],
              uniques: [[number]]
            ),
            Entity(
              name: other,
              attributes: [Attribute(name: names[8], type: .bool, isOptional: true)],
              relationships: [
                Relationship(
                  name: back,
                  destination: entity,
                  inverse: link,
                  isToMany: true,
                  isOptional: true,
                  isOrdered: true
                )
              ]
            ),
          ]
        )
      }
    }

    private func numbers(
      _ connection: BlockingConnection,
      _ world: World,
      _ predicate: String = "TRUEPREDICATE",
      of name: String? = nil
    ) throws -> [Int64] {
      let name = name ?? world.number
      var request = FetchRequest(entity: world.entity)
      request.predicate = try PredicateParser.parse(predicate)
      request.sort = [SortKey(.attribute(name), descending: true)]
      request.select = [name]
      var result: [Int64] = []
      _ = try connection.fetch(request) { row in
        result.append(try #require(row.field().int64))
      }
      return result
    }

    @Test(arguments: 0..<6)
    func `random names serve schemas, rows, predicates, history, undo, and migrations`(
      seed: UInt64
    ) throws {
      var generator = SeededGenerator(seed: seed &* 77 &+ 5)
      let daemon = try TestDaemon(schema: "")
      let world = World(&generator)
      let connection = try daemon.connect()
      let schema = world.schema(number: world.number, version: 1)
      try connection.define(schema)
      #expect(try connection.schema().json == schema.json)
      try connection.insert(
        InsertRequest(
          entity: world.other,
          columns: [world.names[8]],
          rows: RowBatch([[.bool(true)]])
        )
      )
      let columns = [world.number, world.text, world.part, world.link]
      try connection.insert(
        InsertRequest(
          entity: world.entity,
          columns: columns,
          rows: RowBatch(
            (0..<5).map {
              [.int64($0), .string("word \($0)"), .double(Double($0)), .int64(1)]
            }
          )
        )
      )
      let token = try connection.historyStatus().head
      let number = PredicatePrinter.text(.attribute(world.number))
      let part = PredicatePrinter.text(.attribute(world.part))
      let link = PredicatePrinter.text(.attribute(world.link))
      #expect(try numbers(connection, world) == [4, 3, 2, 1, 0])
      #expect(try numbers(connection, world, "\(number) > 1 AND \(part) < 4") == [3, 2])
      #expect(try numbers(connection, world, "\(link).#\(world.names[8]) == TRUE").count == 5)
      #expect(
        try numbers(connection, world, "#\(world.text) MATCHES TEXT 'word 3'") == [3]
      )
      #expect(
        try connection.count(
          CountRequest(
            entity: world.other,
            predicate: PredicateParser.parse("ANY #\(world.back).#\(world.number) == 4")
          )
        ) == 1
      )

      _ = try connection.call(
        "update",
        arguments: .object([
          "entity": .string(world.entity), "where": .string("\(number) == 4"),
          "set": .object([world.number: .int64(40)]),
          "compute": .object([world.part: .string("\(part) * 2")]),
        ])
      )
      #expect(try numbers(connection, world, "\(part) == 8") == [40])
      var changes: [HistoryChange] = []
      _ = try connection.history(HistoryRequest(since: .token(token))) {
        changes += $0.changes
      }
      #expect(changes.map(\.entity) == [world.entity])
      #expect(changes.first?.new[world.number] == .int64(40))
      #expect(changes.first?.old[world.part] == .double(4))
      #expect(try connection.blame(world.entity, 5).properties[world.number] != nil)
      _ = try connection.undo()
      #expect(try numbers(connection, world) == [4, 3, 2, 1, 0])

      let renamed = world.schema(number: world.next, version: 2, originalName: world.number)
      try connection.define(renamed)
      #expect(try numbers(connection, world, of: world.next) == [4, 3, 2, 1, 0])
      #expect(try connection.schema().json == renamed.json)
    }

    @Test func `a name may be written in any form and with escapes`() throws {
      let daemon = try TestDaemon(
        schema:
          #"{"entities":[{"name":"Größe","attributes":[{"name":"länge","type":"int64"},{"name":"ort","type":"composite","optional":true,"properties":[{"name":"é","type":"int64"}]}]}]}"#
      )
      let connection = try RawConnection(daemon.socket)
      let decomposed = "la\u{308}nge"
      func code(_ id: Int, _ operation: String, _ arguments: String) throws -> String? {
        try connection.call(id, operation, arguments)
        return try connection.receiveAnswer(of: id).terminal.errorCode
      }
      #expect(
        try code(
          1,
          "insert",
          #"{"entity":"Gr\u00f6\u00dfe","columns":["l\u00e4nge","ort"],"rows":[[1,{"e\u0301":2}]]}"#
        ) == nil
      )
      #expect(
        try code(2, "update", #"{"entity":"Größe","ids":[1],"set":{"\#(decomposed)":3}}"#) == nil
      )
      try connection.call(
        3,
        "fetch",
        #"{"entity":"Größe","where":"\#(decomposed) == 3","select":["\#(decomposed)","ort.e\u0301"]}"#
      )
      let answer = try connection.receiveAnswer(of: 3)
      let columns = try #require(answer.next.first?["columns"]?.array).compactMap(\.string)
      #expect(columns.map { Array($0.utf8) }.contains(Array("länge".utf8)))
      #expect(answer.next.first?["next", "0", "3"] == .int64(2))
      #expect(
        try code(4, "insert", #"{"entity":"Größe","columns":["länge","\#(decomposed)"],"rows":[]}"#)
          == "request.usage"
      )
      #expect(
        try code(
          5,
          "update",
          #"{"entity":"Größe","ids":[1],"set":{"länge":1,"\#(decomposed)":2}}"#
        ) == "request.usage"
      )
      #expect(
        try code(6, "update", #"{"entity":"Größe","ids":[1],"set":{"ort":{"é":1,"e\u0301":2}}}"#)
          == "request.usage"
      )
      #expect(
        try code(
          7,
          "schema.define",
          #"{"schema":{"entities":[{"name":"A","attributes":[{"name":"\#(decomposed)","type":"bool"}]}]}}"#
        ) == "schema.invalid"
      )
    }

    @Test func `the command line takes and shows names of any letters`() throws {
      let daemon = try TestDaemon(
        schema:
          #"{"entities":[{"name":"Größe","attributes":[{"name":"länge","type":"int64"},{"name":"名前","type":"string"}]}]}"#
      )
      func depot(_ arguments: String...) throws -> String {
        let outcome = try Program.run(
          [Programs.depot] + arguments,
          environment: ["DEPOT_SOCKET": daemon.socket]
        )
        #expect(outcome.status == 0, "\(outcome.errors)")
        return outcome.output
      }
      _ = try depot("insert", "Größe", "länge=3", "名前=山")
      _ = try depot("insert", "Gro\u{308}ße", "la\u{308}nge=4", "名前=川")
      #expect(
        try depot("fetch", "Größe", "--where", "länge > 3 AND 名前 == '川'")
          == #"{"$id":"Größe/2","länge":4,"名前":"川"}"# + "\n"
      )
      let sorted = try depot("fetch", "Größe", "--sort", "länge:desc", "--select", "名前")
      #expect(
        sorted.split(separator: "\n") == [
          #"{"$id":"Größe/2","名前":"川"}"#, #"{"$id":"Größe/1","名前":"山"}"#,
        ]
      )
      _ = try depot("update", "Größe/1", "länge=5")
      #expect(
        try depot("aggregate", "Größe", "--by", "名前", "--value", "sum(länge)", "--sort", "名前")
          == #"{"名前":"山","sum_länge":5}"# + "\n" + #"{"名前":"川","sum_länge":4}"# + "\n"
      )
    }
  }
}
