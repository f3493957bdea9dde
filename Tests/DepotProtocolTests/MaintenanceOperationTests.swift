import Testing

@testable import DepotProtocol

/// The operations that look after a store as a whole.
@Suite struct MaintenanceOperationTests {
  /// Each with its wire form; a change here is a change of protocol.
  static let golden: [(Operation, String)] = [
    (.backup(store: nil), #""call":"backup","args":{}"#),
    (.backup(store: "main"), #""call":"backup","args":{"store":"main"}"#),
    (.check(store: nil), #""call":"check","args":{}"#),
    (.space(store: "main"), #""call":"space","args":{"store":"main"}"#),
    (.compact(store: nil), #""call":"compact","args":{}"#),
    (
      .removeCopies(["a.backup-1"], store: "main"),
      #""call":"copies.remove","args":{"names":["a.backup-1"],"store":"main"}"#
    ),
    (
      .schemaVersions(number: 3, store: "main"),
      #""call":"schema.versions","args":{"number":3,"store":"main"}"#
    ),
    (
      .schemaVersions(number: 3, since: 1, store: nil),
      #""call":"schema.versions","args":{"number":3,"since":1}"#
    ),
    (.schemaVersions(store: nil), #""call":"schema.versions","args":{}"#),
  ]

  @Test func `every one has its golden form, both ways`() throws {
    for (operation, json) in Self.golden {
      let text = "{\"id\":1,\(json)}"
      #expect(jsonText { $0.write(Call(id: 1, operation)) } == text)
      #expect(try ClientFrame(Array(text.utf8)) == .call(Call(id: 1, operation)))
    }
  }

  @Test func `none can have a key or an author, since none changes what a store holds`() {
    #expect(!Self.golden.contains { $0.0.isWrite })
  }

  @Test func `only the owner may ask for what lays a store open or changes its files`() {
    let owned = Set(
      Self.golden.map(\.0).filter { $0.declaration.privilege == .owner }.map(\.name)
    )
    #expect(owned == ["backup", "compact", "copies.remove"])
  }

  @Test func `a connection for reading can copy the store, and nothing else of the owner's`() {
    let differing = Operation.declarations.filter { $0.access != $0.privilege }
    #expect(differing.map(\.name) == ["backup"])
    #expect(differing.allSatisfy { $0.access == .read && $0.privilege == .owner && !$0.isWrite })
  }
}
