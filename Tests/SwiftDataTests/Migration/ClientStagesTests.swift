import DepotClient
import DepotProtocol
import Testing

@testable import SwiftData

@Suite struct `Stages of the client` {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  @Test func `rows can be changed in the old store's words first`() throws {
    let container = try ModelContainer(
      for: Fleet.Buoy.self,
      configurations: ModelConfiguration(url: folder.store())
    )
    let connection = try #require(container.stores.first).connect()
    _ = try connection.insert(
      InsertRequest(
        entity: "Buoy",
        columns: ["number"],
        rows: RowBatch([[.int64(1)], [.int64(1)], [.int64(2)]])
      )
    )
    let first = try connection.schema()
    var second = first
    second.version = SchemaVersion(2, 0, 0)
    second.entities[0].attributes[0].isUnique = true
    second.entities[0].attributes.append(Attribute(name: "label", type: .string))
    let done = try connection.migrate(
      MigrationStages([
        .init(first),
        .init(
          second,
          willMigrate: { old in
            var identifiers: [Int64] = []
            _ = try old.fetch(FetchRequest(entity: "Buoy")) { row in
              _ = try row.next(Int.self)
              identifiers.append(row.identifier)
            }
            _ = try old.delete(DeleteRequest(entity: "Buoy", rows: .identifiers([identifiers[0]])))
          },
          didMigrate: { new in
            _ = try new.update(
              UpdateRequest(
                entity: "Buoy",
                rows: .predicate(.value(.bool(true))),
                columns: ["label"],
                values: RowBatch([[.string("x")]])
              )
            )
          }
        ),
      ])
    )
    #expect(done == [SchemaVersion(2, 0, 0)])
    var labels: [String] = []
    var request = FetchRequest(entity: "Buoy")
    request.select = ["label"]
    _ = try connection.fetch(request) { row in labels.append(try row.next()) }
    #expect(labels == ["x", "x"])
  }
}
