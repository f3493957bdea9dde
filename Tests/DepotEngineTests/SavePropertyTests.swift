import DepotEngine
import DepotProtocol
import DepotSQLite
import TestSupport
import Testing

/// Random saves, held against dictionaries: values that change hands, composites as objects, circles.
@Suite struct SavePropertyTests {
  private static let schema = Schema(entities: [
    Entity(
      name: "Item",
      attributes: [
        Attribute(name: "code", type: .int64, isUnique: true),
        Attribute(name: "group", type: .string),
        Attribute(name: "place", type: .double, isOptional: true),
        Attribute(
          name: "home",
          type: .composite,
          properties: [
            Attribute(name: "city", type: .string, isUnique: true),
            Attribute(name: "zip", type: .int64, isOptional: true, defaultValue: .int64(7)),
          ],
          isOptional: true
        ),
      ],
      relationships: [Relationship(name: "next", destination: "Item", deleteRule: .cascade)],
      uniques: [["group", "place"], ["group", "next"]]
    )
  ])

  /// One row as the model has it.
  private struct Item: Hashable {
    var code: Int64
    var group: String
    var place: Int64?
    var home: Home?
    var next: Int64?

    struct Home: Hashable {
      var city: String
      var zip: Int64?
    }

    static func random(_ targets: [Int64], _ random: inout SeededGenerator) -> Item {
      Item(
        code: .random(in: 1...12, using: &random),
        group: ["a", "b"].randomElement(using: &random) ?? "a",
        place: Bool.random(using: &random) ? .random(in: 1...8, using: &random) : nil,
        home: Bool.random(using: &random)
          ? Home(
            city: "c\(Int.random(in: 1...12, using: &random))",
            zip: [nil, 7, 8].randomElement(using: &random) ?? nil
          ) : nil,
        next: Int.random(in: 0..<3, using: &random) == 0
          ? targets.randomElement(using: &random) : nil
      )
    }

    /// The values in the order of the columns.
    func values(_ random: inout SeededGenerator) -> String {
      var object = "null"
      if let home {
        let zip = "\"zip\":\(home.zip.map { "\($0)" } ?? "null")"
        let isShort = home.zip == 7 && Bool.random(using: &random)
        object = "{\"city\":\"\(home.city)\"\(isShort ? "" : "," + zip)}"
      }
      let place = place.map { "\($0)" } ?? "null"
      return "\(code),\"\(group)\",\(place),\(object),\(next.map { "\($0)" } ?? "null")"
    }

    var texts: [String?] {
      [
        "\(code)", group, place.map { "\($0).0" }, home == nil ? "0" : "1", home?.city,
        home?.zip.map { "\($0)" }, next.map { "\($0)" },
      ]
    }
  }

  private static let columns = ["code", "group", "place", "home", "next"]

  private static func isUnique(_ items: [Int64: Item]) -> Bool {
    func areDifferent(_ values: [some Hashable]) -> Bool { Set(values).count == values.count }
    return areDifferent(items.values.map(\.code))
      && areDifferent(items.values.compactMap(\.home?.city))
      && areDifferent(items.values.compactMap { item in item.place.map { "\(item.group)\($0)" } })
      && areDifferent(items.values.compactMap { item in item.next.map { "\(item.group)\($0)" } })
  }

  /// Deletes rows with those that they lead to; those that led to them lead nowhere.
  private static func delete(_ rows: [Int64], from items: inout [Int64: Item]) {
    var waiting = rows
    while let row = waiting.popLast() {
      if let next = items.removeValue(forKey: row)?.next { waiting.append(next) }
    }
    for (row, item) in items where item.next.map({ items[$0] == nil }) == true {
      items[row]?.next = nil
    }
  }

  @Test(arguments: seeds(6))
  func `what a save leaves is what counts`(seed: Int) async throws {
    var random = SeededGenerator(seed: UInt64(seed))
    try await withStore(Self.schema) { store, path in
      var model: [Int64: Item] = [:]
      var outcomes: [Bool: Int] = [:]
      for step in 0..<200 {
        let rows = model.keys.sorted().shuffled(using: &random)
        let deleted = Array(rows.prefix(Int.random(in: 0..<10, using: &random) == 0 ? 1 : 0))
        let others = rows.filter { !deleted.contains($0) }
        var next = model
        var updates: [String] = []
        let changed = Array(others.prefix(Int.random(in: 0...4, using: &random)))
        // Half of the changes only move what rows have from one to the other.
        let isExchange = Bool.random(using: &random)
        for (index, row) in changed.enumerated() {
          var item = Item.random(others, &random)
          if isExchange, let other = model[changed[(index + 1) % changed.count]] { item = other }
          if item.next.map(deleted.contains) == true { item.next = nil }
          next[row] = item
          updates.append("[\(row),\(item.values(&random))]")
        }
        var inserted: [Item] = []
        if rows.count < 8 || Int.random(in: 0..<4, using: &random) == 0 {
          for _ in 0..<Int.random(in: 1...2, using: &random) {
            inserted.append(.random(others, &random))
          }
        }
        let inserts = inserted.enumerated().map { "[\"#\($0)\",\($1.values(&random))]" }
        let save = SaveRequest(
          inserts: inserts.isEmpty
            ? []
            : [
              SaveRequest.Insertion(
                entity: "Item",
                columns: ["$id"] + Self.columns,
                rows: .text("[\(inserts.joined(separator: ","))]")
              )
            ],
          updates: [
            SaveRequest.Change(
              entity: "Item",
              columns: ["$id"] + Self.columns,
              rows: .text("[\(updates.joined(separator: ","))]")
            )
          ],
          deletes: [SaveRequest.Deletion(entity: "Item", identifiers: deleted)]
        )
        let result = await store.write([.save(save)])[0]
        let ids = (try? result.get())?["ids"]
        for (index, item) in inserted.enumerated() {
          next[ids?["#\(index)"]?.int64 ?? Int64(-1 - index)] = item
        }
        // What a deleted row led to before goes with it, unless the save led it elsewhere.
        Self.delete(deleted, from: &next)
        let isAllowed = Self.isUnique(next)
        let isDone = (try? result.get()) != nil
        #expect(isDone == isAllowed, "step \(step): \(updates) \(inserts) \(deleted): \(result)")
        if isDone { model = next }
        outcomes[isDone, default: 0] += 1
        let stored = try texts(
          """
          SELECT id, a_code, a_group, a_place, "a_home", "a_home.city", "a_home.zip", r_next \
          FROM e_Item ORDER BY id
          """,
          in: path
        )
        let wanted = model.sorted { $0.key < $1.key }.map { ["\($0.key)"] + $0.value.texts }
        #expect(stored == wanted, "step \(step)")
        if isDone != isAllowed || stored != wanted { break }
      }
      #expect(outcomes[true, default: 0] > 20)
      #expect(outcomes[false, default: 0] > 20)
      #expect(try await store.problems(path) == [])
    }
  }

  @Test(arguments: seeds(20))
  func `circles that were stored are found again`(seed: Int) async throws {
    let schema = Schema(entities: [
      Entity(
        name: "Node",
        attributes: [Attribute(name: "name", type: .string)],
        relationships: [Relationship(name: "next", destination: "Node")],
        uniques: [["name", "next"]]
      )
    ])
    var random = SeededGenerator(seed: UInt64(seed))
    try await withStore(schema) { store, path in
      let count = Int.random(in: 1...9, using: &random)
      let targets = Array(0..<count).shuffled(using: &random)
      // Some rows aren't in a circle but lead to one, with names that nobody else has.
      let tails = (0..<Int.random(in: 0...3, using: &random)).map { index in
        (index + count, Int.random(in: 0..<count, using: &random))
      }
      let rows =
        targets.enumerated().map { index, target in
          "[\"#\(index)\",\"\(index % 2)\",\"#\(target)\"]"
        } + tails.map { "[\"#\($0)\",\"t\($0)\",\"#\($1)\"]" }
      func save(_ rows: [String]) -> DepotProtocol.Operation {
        let insertion = SaveRequest.Insertion(
          entity: "Node",
          columns: ["$id", "name", "next"],
          rows: .text("[\(rows.joined(separator: ","))]")
        )
        return .save(SaveRequest(inserts: [insertion], onConflict: .replace))
      }
      try await store.write(save(rows))
      let before = try texts("SELECT id, a_name, r_next FROM e_Node ORDER BY id", in: path)
      let again = try await store.write(save(rows.shuffled(using: &random)))
      #expect(again["inserted"] == .int64(0))
      #expect(again["updated"] == .int64(Int64(rows.count)))
      let after = try texts("SELECT id, a_name, r_next FROM e_Node ORDER BY id", in: path)
      #expect(after == before)
      #expect(try await store.problems(path) == [])
    }
  }
}
