import Foundation
import TestSupport
import Testing

extension CommandTests {
  /// A schema as structures of Swift.
  @Suite(.serialized) struct SwiftCodeTests {
    private static let schema = #"""
      {"version":"1.2.0","entities":[
      {"name":"Person","abstract":true,"attributes":[
        {"name":"name","type":"string","unique":true},{"name":"id","type":"int8","default":7},
        {"name":"home","type":"composite","optional":true,"properties":[
          {"name":"city","type":"string"},{"name":"zip","type":"string","optional":true}]}]},
      {"name":"Author","parent":"Person","attributes":[
        {"name":"born","type":"date","optional":true},
        {"name":"tags","type":"string","collection":"set"},
        {"name":"grades","type":"double","collection":"array","optional":true},
        {"name":"portrait","type":"data","externalStorage":true,"optional":true},
        {"name":"extra","type":"json","optional":true},
        {"name":"count","type":"int64","derived":"books.@count"}],
       "relationships":[{"name":"books","destination":"Data","toMany":true,"inverse":"author"}]},
      {"name":"Data","attributes":[
        {"name":"größe","type":"uint64"},{"name":"key","type":"uuid"},{"name":"price","type":"decimal"},
        {"name":"ratio","type":"float"},{"name":"class","type":"bool"},{"name":"page","type":"url"}],
       "relationships":[
        {"name":"author","destination":"Author","inverse":"books"},
        {"name":"next","destination":"Data","optional":true}]}]}
      """#

    private static let code = """
      // The entities of the schema, version 1.2.0. Made by: depot schema --swift
      //
      // The structures read and write rows. The schema has rules that they don't say: define it by its own file.

      import DepotClient
      import Foundation

      @DTO struct Person: Sendable {
        var id: Identifier<Person>?
        var name: String
        @Column("id") var idValue: Int8
        var home: Bool
        @Column("home.city") var homeCity: String?
        @Column("home.zip") var homeZip: String?
      }

      @DTO struct Author: Sendable {
        var id: Identifier<Author>?
        var name: String
        @Column("id") var idValue: Int8
        var home: Bool
        @Column("home.city") var homeCity: String?
        @Column("home.zip") var homeZip: String?
        var born: Date?
        var tags: Set<String>
        var grades: [Double]?
        var portrait: LargeValue<Data>?
        // extra holds any JSON: give it a type that is a JSONAttributeValue.
        // count is kept by the service: books.@count
        var books: [Related<DataRow>] = []
      }

      @DTO("Data") struct DataRow: Sendable {
        var id: Identifier<DataRow>?
        var größe: UInt64
        var key: UUID
        var price: Decimal
        var ratio: Float
        var `class`: Bool
        var page: URL
        var author: Related<Author>
        var next: Related<DataRow>?
      }

      """

    private static let program = #"""
      import DepotClient
      import Foundation

      @main enum Main {
        static func main() async throws {
          let client = try await Client()
          let ada = Author(
            name: "Ada", idValue: 3, home: true, homeCity: "Rome", homeZip: nil, born: nil, tags: ["a"],
            grades: [1.5], portrait: .value(Data([1, 2, 3])))
          let author = try await client.insert([ada])[0]
          let row = DataRow(
            größe: .max, key: UUID(), price: 1.5, ratio: 0.5, class: true, page: URL(string: "a:b")!,
            author: Related(author), next: nil)
          _ = try await client.insert([row])
          let found = try await client.fetch(Author.self, where: #Predicate { $0.homeCity == "Rome" })[0]
          print(found.name, found.idValue, found.home, found.homeCity ?? "-", found.tags, found.books.count)
          print(found.portrait?.length ?? 0, try await client.fetch(DataRow.self)[0].größe)
          print(try await client.count(Person.self))
        }
      }
      """#

    @Test func `a program that is made of them reads and writes the store`() throws {
      let daemon = try TestDaemon(schema: Self.schema)
      let outcome = try daemon.depot(["schema", "--swift"])
      #expect(outcome.output == Self.code)
      let file = try daemon.folder.write(Self.schema, to: "a.json")
      #expect(try daemon.depot(["schema", "--swift", "--file", file]).output == Self.code)
      let folder = try TemporaryFolder()
      let entities = try folder.write(outcome.output, to: "Entities.swift")
      let main = try folder.write(Self.program, to: "Program.swift")
      try ReadmeProgramTests.compile(
        entities,
        main,
        "-parse-as-library",
        to: folder.path + "/program",
        like: "depot-demo"
      )
      let run = try Program.run(
        [folder.path + "/program"],
        environment: ["DEPOT_SOCKET": daemon.socket]
      )
      #expect(
        run.output == """
          Ada 3 true Rome ["a"] 1
          3 18446744073709551615
          1

          """,
        "\(run.errors)"
      )
    }
  }
}
