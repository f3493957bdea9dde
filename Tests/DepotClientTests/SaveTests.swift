import DepotProtocol
import Testing

@testable import DepotClient
@testable import DepotClientCore

@Suite struct SaveTests {
  @Test func `records lead to others of the same save by temporary identifiers`() throws {
    var save = Save(onConflict: .replace)
    let norway = save.insert(Country(name: "Norway"))
    let oslo = save.insert(Province(name: "Oslo", country: Related(norway)))
    let viken = save.insert(Province(name: "Viken", country: Related(Identifier(8))))
    try save.update(norway, set: [.set(\.provinces, to: [Related(oslo)])])
    save.delete(Identifier<Person>(4))
    save.delete(Identifier<Person>(5))
    #expect(Set([norway.value, oslo.value, viken.value]).count == 3)
    let request = save.request
    #expect(request.onConflict == .replace)
    #expect(request.inserts.map(\.entity) == ["Country", "Province"])
    #expect(request.inserts[1].columns == ["$id", "name", "rank", "country", "founder"])
    #expect(
      Self.text(request.inserts[1].rows) == """
        [["\(Self.name(oslo))","Oslo",0,"\(Self.name(norway))",null],\
        ["\(Self.name(viken))","Viken",0,8,null]]
        """
    )
    #expect(request.updates.map(\.columns) == [["$id", "provinces"]])
    #expect(
      Self.text(request.updates[0].rows)
        == #"[["\#(Self.name(norway))",["\#(Self.name(oslo))"]]]"#
    )
    #expect(request.deletes == [SaveRequest.Deletion(entity: "Person", identifiers: [4, 5])])
  }

  @Test func `a whole record can be given to another`() {
    var save = Save()
    #expect(save.isEmpty)
    save.update(Identifier<Person>(3), to: Person(name: "x"))
    #expect(!save.isEmpty)
    #expect(Self.text(save.request.updates[0].rows) == #"[[3,"x",0]]"#)
  }

  @Test func `an update of a property that isn't listed is refused`() {
    var save = Save()
    #expect(throws: DepotError.self) {
      try save.update(Identifier<Package>(1), set: [.set(\.note, to: "x")])
    }
    #expect(save.isEmpty)
  }

  @Test func `the result has the permanent identifiers`() async throws {
    var save = Save()
    let names = save.insert([Person(name: "a"), Person(name: "b")])
    let ids = names.enumerated().map { #""\#(Self.name($1))":\#($0 + 40)"# }.joined(separator: ",")
    let service = try FakeService { name, id, _ in
      name == "save" ? [#"{"id":\#(id),"ok":{"inserted":2,"deleted":1,"ids":{\#(ids)}}}"#] : []
    }
    let saved = try await Client(socket: service.socket).save(save)
    #expect(saved.inserted == 2)
    #expect(saved.updated == 0)
    #expect(saved.deleted == 1)
    #expect(names.map { saved[$0].value } == [40, 41])
    #expect(saved[Identifier<Person>(7)].value == 7)
  }

  @Test(arguments: ["[[[9223372036854775807,0]]]", "[[[1,-1]]]"])
  func `a run of identifiers that no save can have made is refused`(runs: String) throws {
    let result = try JSONDocument(Array(#"{"runs":\#(runs)}"#.utf8)).root
    #expect(throws: DepotError.self) { try SaveResult(result) }
  }

  @Test(arguments: [
    "/args/update/9/rows/0", "/args/update/-1/rows/0", "/args/insert/9/rows/0",
    "/args/delete/0/ids/9", "/args/delete/9/ids/0", "/args/read/0/ids/-1", "/args/read/9/ids/0",
  ])
  func `a conflict of what isn't in the save can't be followed`(pointer: String) throws {
    var request = SaveRequest()
    request.deletes = [SaveRequest.Deletion(entity: "E", identifiers: [1], versions: [1])]
    request.reads = [SaveRequest.ReadSet(entity: "E", identifiers: [1], versions: [1])]
    for kind in [SaveConflict.Kind.update, .deleteOfUpdated, .unique, .read] {
      var conflict = SaveConflict(kind, entity: "E", identifier: 1, pointer: pointer)
      conflict.storeVersion = 2
      for answer in [SaveConflict.Resolution.store, .client, .values(["x": .int64(1)])] {
        #expect(try SaveResolution.resolve(request, [(conflict, answer)]) == nil)
      }
    }
  }

  private static func name<Model>(_ identifier: Identifier<Model>) -> String {
    "#\(identifier.value.magnitude)"
  }

  private static func text(_ rows: RowBatch) -> String {
    String(decoding: rows.json, as: UTF8.self)
  }
}
