import DepotEngine
import DepotProtocol
import DepotSQLite
import Foundation
import Testing

/// Saves that come upon a damaged page of an index, at which SQLite ends the transaction by itself.
@Suite struct DamagedIndexTests {
  private static let schema = Schema(entities: [
    Entity(
      name: "Item",
      attributes: [
        Attribute(name: "name", type: .string, isUnique: true),
        Attribute(name: "size", type: .int64, isOptional: true),
      ],
      relationships: [Relationship(name: "next", destination: "Item", isOptional: true)]
    )
  ])

  private static func name(_ number: Int) -> String { "item-\(String(1000 + number))" }

  /// Changes a byte of the page of the index that has a name.
  private func damage(_ path: String, at name: String) throws {
    var file = try #require(FileManager.default.contents(atPath: path))
    let pages = stride(from: 0, to: file.count, by: DatabaseHeader.newPageSize)
    let text = Data(name.utf8)
    // Of the leaves of indexes.
    let leaves = pages.filter { file[$0] == 10 }
    let places = leaves.compactMap {
      file[$0..<$0 + DatabaseHeader.newPageSize].firstRange(of: text)?.lowerBound
    }
    let place = try #require(places.first)
    file[place] ^= 1
    try file.write(to: URL(filePath: path))
  }

  @Test(arguments: [
    #""onConflict":"skip""#, #""onConflict":"replace""#, #""policy":"overwrite""#,
  ])
  func `a save that a damaged page stops stores nothing`(option: String) async throws {
    try await withStore(Self.schema) { store, path in
      try await store.insert((0..<600).map { [.string(Self.name($0)), .null] })
      await store.close()
      try damage(path, at: Self.name(550))
      let again = try StoreFixture(StoreConfiguration(path: path))
      let insert =
        ##"{"entity":"Item","columns":["$id","name","next"],"rows":[["#a","item-1001x","#b"],["#b","item-1550x",null]]}"##
      let request = #"{"insert":[\#(insert)],\#(option)}"#
      let error = await #expect(throws: DepotError.self) { try await again.call("save", request) }
      #expect(error?.code == .corrupt, "\(error as Any)")
      #expect(
        try rows("SELECT count(*) FROM e_Item WHERE a_name = 'item-1001x'", in: path)
          == [[.integer(0)]]
      )
      // Writes that don't need the page are done.
      try await again.call("update", #"{"entity":"Item","ids":[1],"set":{"size":7}}"#)
      await again.close()
    }
  }
}
