import DepotEngine
import DepotProtocol
import Testing

/// Saves that change one row with its version, which one statement compares and writes.
@Suite struct LoneSaveTests {
  private static let schema = Schema(entities: [
    Entity(
      name: "Item",
      attributes: [
        Attribute(name: "name", type: .string),
        Attribute(name: "price", type: .double, isOptional: true),
        Attribute(name: "code", type: .string, isOptional: true, isUnique: true),
      ]
    ),
    Entity(name: "Part", parent: "Item", attributes: []),
  ])
  private static let select = "SELECT id, version, a_name, a_price FROM e_Item ORDER BY id"

  private func withItems(_ body: (StoreFixture, String) async throws -> Void) async throws {
    try await withStore(Self.schema) { store, path in
      try await store.insert("Item", ["name", "price", "code"], #"[["a",0,"x"],["b",1,"y"]]"#)
      try await body(store, path)
    }
  }

  private static func save(
    _ row: String,
    _ columns: String = #""name","price""#,
    _ entity: String = "Item"
  ) -> String {
    """
    {"update":[{"entity":"\(entity)","columns":["$id","$version",\(columns)],"rows":[\(row)]}]}
    """
  }

  @Test(arguments: [
    (#"[1,1,"c",2]"#, ["1", "2", "c", "2.0"]), (#"[1,1,"a",0]"#, ["1", "1", "a", "0.0"]),
    (#"[1,1,"a",-0.0]"#, ["1", "2", "a", "-0.0"]), (#"[1,1,"a",null]"#, ["1", "2", "a", nil]),
  ])
  func `a row that is as it was read gets its values, and a version if they differ`(
    row: String,
    stored: [String?]
  ) async throws {
    try await withItems { store, path in
      let result = try await store.save(Self.save(row))
      #expect(try texts(Self.select, in: path).first == stored)
      #expect(result["versions"]?.text == #"{"Item":[[1,\#(stored[1] ?? "")]]}"#)
      #expect(result["conflicts"]?.text == "[]")
      #expect(result["updated"]?.int64 == 1)
    }
  }

  @Test(arguments: [
    (#"[1,1,"c",2]"#, DepotError.Code.merge), (#"[1,1,null,2]"#, .merge),
    (#"[1,2,null,2]"#, .required),
    (#"[1,"x","c",2]"#, .type), (#"[1,2,"c"]"#, .usage), (#"[9,1,"c",2]"#, .objectNotFound),
    (##"["#1",1,"c",2]"##, .type),
  ])
  func `a row that can't be written is refused as it is among others`(
    row: String,
    code: DepotError.Code
  ) async throws {
    try await withItems { store, path in
      try await store.update("Item", [1], ["price"], "[5]")
      let before = try texts(Self.select, in: path)
      let error = await store.saveError(Self.save(row))
      #expect(error?.code == code)
      let others = await store.saveError(Self.save(row + #",[2,1,"d",3]"#))
      #expect(others?.code == code)
      #expect(others?.at == error?.at)
      #expect(try texts(Self.select, in: path) == before)
    }
  }

  @Test func `a unique value of another row is refused, and keeps both rows`() async throws {
    try await withItems { store, path in
      let error = await store.saveError(Self.save(#"[1,1,"y"]"#, #""code""#))
      #expect(error?.code == .unique)
      #expect(error?.conflicts.first?.kind == .unique)
      let codes = try texts("SELECT a_code FROM e_Item ORDER BY id", in: path)
      #expect(codes == [["x"], ["y"]])
    }
  }

  @Test func `a row of an entity that isn't the named one is missing`() async throws {
    try await withItems { store, path in
      let error = await store.saveError(Self.save(#"[1,1,"c",2]"#, #""name","price""#, "Part"))
      let row = try texts(Self.select, in: path).first
      #expect(error?.code == .objectNotFound)
      #expect(row == ["1", "1", "a", "0.0"])
    }
  }
}
