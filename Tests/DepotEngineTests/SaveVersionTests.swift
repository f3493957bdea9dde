import DepotEngine
import DepotProtocol
import DepotSQLite
import TestSupport
import Testing

/// The versions that a save is told of the rows that it names, and those that it names itself.
@Suite struct SaveVersionTests {
  /// Folders in folders, in an order, with attributes that the store computes, a unique code, and links both ways.
  private static let schema: Schema = {
    var count = Attribute(name: "count", type: .int64, isOptional: true)
    count.derivation = "parts.@count"
    return Schema(entities: [
      Entity(
        name: "Folder",
        attributes: [
          Attribute(name: "size", type: .int64, isOptional: true),
          Attribute(name: "code", type: .string, isOptional: true, isUnique: true), count,
        ],
        relationships: [
          Relationship(name: "parent", destination: "Folder", inverse: "parts"),
          Relationship(
            name: "parts",
            destination: "Folder",
            inverse: "parent",
            isToMany: true,
            isOrdered: true,
            deleteRule: .cascade
          ),
          Relationship(name: "links", destination: "Folder", inverse: "linked", isToMany: true),
          Relationship(name: "linked", destination: "Folder", inverse: "links", isToMany: true),
        ]
      )
    ])
  }()

  private func stored(_ path: String) throws -> [Int64: Int64] {
    var versions: [Int64: Int64] = [:]
    for row in try rows("SELECT id, version FROM e_Folder", in: path) {
      if case .integer(let identifier) = row[0], case .integer(let version) = row[1] {
        versions[identifier] = version
      }
    }
    return versions
  }

  /// Returns a random save of rows with some versions, and the rows that it changes by name.
  private func save(
    _ known: [Int64: Int64],
    _ turn: Int,
    _ generator: inout SeededGenerator
  ) -> (json: String, changed: [Int64], inserted: Int) {
    func pick(_ count: Int) -> [Int64] {
      Array(known.keys.sorted().shuffled(using: &generator).prefix(count))
    }
    func target() -> String { pick(1).first.map(String.init) ?? "null" }
    let inserted = Int(generator.next() % 3)
    let inserts = (0..<inserted).map { "[\"#\($0)\",\($0),\($0 == 0 ? target() : "\"#0\"")]" }
    let changed = pick(Int(generator.next() % 5))
    let updates = changed.map { row -> (columns: String, row: String) in
      let head = "\(row),\(known[row] ?? 0)"
      switch generator.next() % 5 {
      // A value that the row has already, now and then.
      case 0: return ("size", "[\(head),\(generator.next() % 2)]")
      case 1: return ("size", "[\(head),\(turn + 10)]")
      case 2: return ("parent", "[\(head),\(target())]")
      case 3: return ("links", "[\(head),[\(target())]]")
      default: return ("code", "[\(head),\"c\(generator.next() % 8)\"]")
      }
    }
    let batches = updates.map {
      #"{"entity":"Folder","columns":["$id","$version","\#($0.columns)"],"rows":[\#($0.row)]}"#
    }
    let gone = generator.next() % 4 == 0 ? pick(1).filter { !changed.contains($0) } : []
    let json = """
      {"insert":[{"entity":"Folder","columns":["$id","size","parent"],"rows":\
      [\(inserts.joined(separator: ","))]}],"update":[\(batches.joined(separator: ","))],\
      "delete":[{"entity":"Folder","ids":\(gone),"versions":\(gone.map { known[$0] ?? 0 })}],\
      "policy":"error"}
      """
    return (json, changed, inserted)
  }

  @Test(arguments: seeds(20))
  func `a save tells the versions that the rows have which it names`(seed: Int) async throws {
    try await withStore(Self.schema) { store, path in
      var generator = SeededGenerator(seed: UInt64(seed))
      try await store.insert("Folder", ["size"], "[[0],[1],[2],[3],[4],[5]]")
      var saved = 0
      for turn in 0..<25 {
        let known = try stored(path)
        let (json, changed, inserted) = save(known, turn, &generator)
        let result: JSONValue
        do {
          result = try await store.save(json)
        } catch let error as DepotError {
          // A code that another has, a folder in itself, or one that is deleted with its parent.
          let codes: [DepotError.Code] = [.unique, .objectNotFound, .reference, .violations]
          #expect(codes.contains(error.code), "\(error) \(json)")
          #expect(try stored(path) == known)
          continue
        }
        saved += 1
        let now = try stored(path)
        let new = now.keys.filter { known[$0] == nil }
        #expect(new.count == inserted || result["deleted"]?.int64 != 0)
        let told = result["versions"]?["Folder"]?.array ?? []
        let versions = told.compactMap { row -> (Int64, Int64)? in
          guard let identifier = row.array?[0].int64, let version = row.array?[1].int64 else {
            return nil
          }
          return (identifier, version)
        }
        #expect(versions.count == told.count)
        #expect(Set(versions.map(\.0)) == Set(changed + new).intersection(now.keys), "\(json)")
        #expect(Set(versions.map(\.0)).count == versions.count)
        for (identifier, version) in versions { #expect(now[identifier] == version, "\(json)") }
      }
      #expect(saved > 5)
      #expect(try await store.problems(path) == [])
    }
  }

  @Test(arguments: ["update", "delete", "read"], [1, 63, 64, 65, 200])
  func `one row of many that others have changed is found`(kind: String, count: Int) async throws {
    for stale in [1, count / 2, count] where stale > 0 {
      try await withStore(Self.schema) { store, path in
        let values = (1...count).map { "[\($0)]" }.joined(separator: ",")
        try await store.insert("Folder", ["size"], "[\(values)]")
        var generator = SeededGenerator(seed: UInt64(count))
        let order = Array(1...count).shuffled(using: &generator)
        let versions = Array(repeating: 1, count: count)
        let rows = order.map { "[\($0),1,0]" }.joined(separator: ",")
        let json =
          kind == "update"
          ? #"{"update":[{"entity":"Folder","columns":["$id","$version","size"],"rows":[\#(rows)]}]}"#
          : #"{"\#(kind)":[{"entity":"Folder","ids":\#(order),"versions":\#(versions)}]}"#
        try await store.update("Folder", [Int64(stale)], ["size"], "[-1]")
        let error = await store.saveError(json)
        #expect(error?.conflicts.map(\.identifier) == [Int64(stale)])
        #expect(try texts("SELECT a_size FROM e_Folder", in: path).count == count)
      }
    }
  }

  @Test func `rows that are named twice or never were are told as before`() async throws {
    try await withStore(Self.schema) { store, path in
      try await store.insert("Folder", ["size"], "[[1],[2]]")
      let columns = #""entity":"Folder","columns":["$id","$version","size"]"#
      let twice = try await store.save("{\"update\":[{\(columns),\"rows\":[[1,1,5],[1,1,6]]}]}")
      #expect(twice["versions"]?.text == #"{"Folder":[[1,2]]}"#)
      #expect(try texts("SELECT a_size FROM e_Folder ORDER BY id", in: path) == [["6"], ["2"]])
      let error = await store.saveError("{\"update\":[{\(columns),\"rows\":[[2,1,5],[9,1,6]]}]}")
      #expect(error?.code == .objectNotFound)
      let text = await store.saveError("{\"update\":[{\(columns),\"rows\":[[2,\"x\",5]]}]}")
      #expect(text?.at == "/args/update/0/rows/0/1")
    }
  }
}
