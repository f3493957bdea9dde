import DepotProtocol
import DepotSQLite
import TestSupport
import Testing

@testable import DepotEngine

/// Random writes, held against the rows before and after each of them.
@Suite struct HistoryPropertyTests {
  /// One row of the history.
  private struct Entry {
    var kind: String
    var entity: String
    var changes: [JSONValue]
  }

  private func entries(_ lines: [String]) throws -> [Entry] {
    try lines.filter { !$0.isEmpty }.map { line in
      let parts = line.split(separator: " ", maxSplits: 2)
      let changes = try JSONValue(parsing: parts[2].utf8).array ?? []
      return Entry(kind: String(parts[0]), entity: String(parts[1]), changes: changes)
    }
  }

  private func identifiers(_ range: JSONValue) -> [Int64] {
    guard let first = range.array?.first?.int64, let last = range.array?.last?.int64 else {
      return []
    }
    return Array(first...last)
  }

  /// Applies changes; insertions take their values from the rows afterwards.
  private func apply(_ entries: [Entry], to rows: inout StoredState, after: StoredState) {
    for entry in entries {
      for change in entry.changes {
        let key = "\(entry.entity)/\(change["id"]?.int64 ?? 0)"
        switch entry.kind {
        case "insert":
          for identifier in identifiers(change) {
            let key = "\(entry.entity)/\(identifier)"
            #expect(rows.values[key] == nil, "\(key) is inserted twice")
            rows.values[key] = after.values[key]
          }
        case "update":
          for (path, pair) in change["p"]?.object ?? [:] {
            // A row that the transaction inserted has what it ends with already.
            #expect(rows.values[key]?[path] == pair.array?[0], "\(key).\(path)")
            #expect(pair.array?[0] != pair.array?[1] || path == "image")
            rows.values[key]?[path] = pair.array?[1]
          }
        case "delete":
          #expect(rows.values[key] == change["p"]?.object, "\(key)")
          rows.values[key] = nil
        default: link(change, &rows, isForward: true)
        }
      }
    }
  }

  /// Takes changes back.
  private func undo(_ entries: [Entry], in rows: inout StoredState) {
    for entry in entries.reversed() {
      for change in entry.changes {
        let key = "\(entry.entity)/\(change["id"]?.int64 ?? 0)"
        switch entry.kind {
        case "insert":
          for identifier in identifiers(change) {
            rows.values["\(entry.entity)/\(identifier)"] = nil
          }
        case "update":
          for (path, pair) in change["p"]?.object ?? [:] {
            #expect(rows.values[key]?[path] == pair.array?[1], "\(key).\(path)")
            rows.values[key]?[path] = pair.array?[0]
          }
        case "delete": rows.values[key] = change["p"]?.object
        default: link(change, &rows, isForward: false)
        }
      }
    }
  }

  private func link(_ change: JSONValue, _ rows: inout StoredState, isForward: Bool) {
    let source = change["id"]?.int64 ?? 0
    let tags = change["p"]?["tags"]
    for (member, adds) in [("add", isForward), ("remove", !isForward)] {
      for target in tags?[member]?.array?.compactMap(\.int64) ?? [] {
        if adds {
          #expect(rows.links.insert([source, target]).inserted)
        } else {
          #expect(rows.links.remove([source, target]) != nil)
        }
      }
    }
  }

  @Test(arguments: seeds(4))
  func `the history leads from each state to the next and back`(seed: Int) async throws {
    try await withStore(.recorded) { store, path in
      var generator = SeededGenerator(seed: UInt64(seed))
      try await store.insert("Tag", ["label"], #"[["a"],["b"],["c"],["d"],["e"],["f"]]"#)
      try await store.insert("Node", ["size"], "[[1],[1],[1],[1],[1],[1],[1],[1],[1],[1]]")
      var before = try StoredState(store, path)
      store.store.interest.raise()
      let history = HistoryFixture(path: path)
      var writes = 0
      for _ in 0..<120 {
        let head = try history.head()
        _ = store.changes.takeAll()
        let (name, arguments) = RandomWrite(&generator).call
        let outcome = try await unlessRefused { try await store.call(name, arguments) }
        if outcome?["token"] != nil { writes += 1 }
        let after = try StoredState(store, path)
        let entries = try entries(try history.lines(after: head))
        var forward = before
        apply(entries, to: &forward, after: after)
        #expect(forward == after, "\(name) \(arguments)")
        var backward = after
        undo(entries, in: &backward)
        #expect(backward == before, "\(name) \(arguments)")
        check(store.changes.takeAll(), from: before, to: after, store.store.catalog)
        guard forward == after, backward == before else { return }
        before = after
      }
      #expect(writes > 30)
      #expect(try await store.problems(path) == [])
    }
  }

  /// Checks that what was made known is what happened.
  private func check(
    _ told: [CommittedChanges],
    from before: StoredState,
    to after: StoredState,
    _ catalog: Catalog
  ) {
    var kinds: [String: RowChange.Kind] = [:]
    var paths: [String: Set<String>] = [:]
    for (root, table) in told.flatMap({ Array($0.tables) }) {
      #expect(!table.isMany)
      guard let layout = try? catalog.layout(of: root) else { continue }
      for row in table.rows {
        let name = layout.numbers[row.entityNumber] ?? "?"
        let key = "\(name)/\(row.identifier)"
        let isFirst = kinds[key] == nil
        if isFirst || row.kind != .update { kinds[key] = row.kind }
        guard let own = try? catalog.layout(of: name) else { continue }
        let names = row.columns.indices.map { layout.stored[$0].name }
        let changed = own.fields.indices.filter { position in
          own.storedPositions[position].map { names.contains(own.stored[$0].name) } ?? false
        }
        paths[key, default: []].formUnion(changed.map { own.fields[$0].path })
      }
    }
    for key in Set(before.values.keys).union(after.values.keys) {
      let (old, new) = (before.values[key], after.values[key])
      switch (old, new) {
      case (nil, _?): #expect(kinds[key] == .insert, "\(key)")
      case (_?, nil): #expect(kinds[key] == .delete, "\(key)")
      case (let old?, let new?):
        let changed = Set(old.keys.filter { old[$0] != new[$0] })
        #expect(changed.isSubset(of: paths[key] ?? []), "\(key)")
        #expect((paths[key] ?? []).subtracting(changed).isSubset(of: ["image"]), "\(key)")
      case (nil, nil): break
      }
    }
    let pairs = told.flatMap {
      $0.links["j_Node.tags"]?.pairs.map { [$0.source, $0.target] } ?? []
    }
    #expect(before.links.symmetricDifference(after.links).isSubset(of: Set(pairs)))
  }
}

/// A random request, which may fail.
struct RandomWrite {
  let call: (name: String, arguments: String)

  init(_ generator: inout SeededGenerator) {
    func pick(_ values: [String]) -> String { values.randomElement(using: &generator) ?? "null" }
    func node() -> String { "\(Int.random(in: 1...12, using: &generator))" }
    func tag() -> String { "\(Int.random(in: 1...6, using: &generator))" }
    func name() -> String { pick(["null", "\"a\"", "\"b\"", "\"c\"", "\"d\"", "\"é\""]) }
    func size() -> String { pick(["null", "1", "2"]) }
    func maybe(_ value: String) -> String { pick([value, "null", "null"]) }
    func tags() -> String { pick(["[]", "[\(tag())]", "[1,2]", "[2,1]", "[3]"]) }
    func home() -> String { pick(["null", "\"Ulm\"", "\"Bonn\""]) }
    let entity = pick(["Node", "Node", "Leaf"])
    switch Int.random(in: 0..<11, using: &generator) {
    case 0, 1:
      call = (
        "insert",
        """
        {"entity":"\(entity)","columns":["name","size","parent","tags","home.city"],
        "onConflict":"\(pick(["error", "ignore", "replace"]))","rows":[
        [\(name()),\(size()),\(maybe(node())),\(tags()),\(home())],
        [\(name()),\(size()),null,[],\(home())]]}
        """
      )
    case 2:
      call = (
        "insert",
        """
        {"entity":"\(entity)","columns":["name","parent","tags"],"rejects":true,"rows":[
        [\(name()),\(maybe(node())),\(tags())],[\(name()),\(node()),\(tags())],
        [\(name()),null,[99]],[\(name()),null,\(tags())]]}
        """
      )
    case 3:
      call = (
        "insert",
        #"{"entity":"Tag","columns":["label","nodes"],"rows":[["t",[]],["u",[\#(node())]]]}"#
      )
    case 4:
      call = (
        "update",
        #"{"entity":"Node","ids":[\#(node())],"set":{"size":\#(size()),"parent":\#(maybe(node()))}}"#
      )
    case 5:
      call = (
        "update",
        """
        {"entity":"Node","where":{"value":true},"set":{"tags":\(tags()),"home":\(pick(["false", "null"]))}}
        """
      )
    case 6:
      call = (
        "update",
        #"{"entity":"Node","ids":[\#(node())],"set":{"children":[\#(node()),\#(node())]}}"#
      )
    case 7: call = ("delete", #"{"entity":"\#(pick(["Node", "Node", "Tag"]))","ids":[\#(tag())]}"#)
    case 8:
      call = (
        "update",
        #"{"entity":"Node","where":{"value":true},"set":{"size":\#(size())},"chunk":3}"#
      )
    case 9:
      call = (
        "save",
        """
        {"insert":[{"entity":"\(entity)","columns":["$id","name","parent","image"],
        "rows":[["#1",\(name()),\(maybe(node())),"AQID"],["#2",null,"#1",null]]}],
        "update":[{"entity":"Node","columns":["$id","parent","size"],
        "rows":[[\(node()),"#1",\(size())]]},
        {"entity":"Node","columns":["$id","size"],"rows":[[\(node()),\(size())]]}],
        "delete":[{"entity":"Node","ids":[\(node())]}]}
        """
      )
    default:
      call = (
        "save",
        """
        {"insert":[{"entity":"Loud","columns":["a","b"],"rows":[[1,\(size())]]}],
        "update":[{"entity":"Node","columns":["$id","name","any"],
        "rows":[[\(node()),\(name()),{"x":\(size())}]]}]}
        """
      )
    }
  }
}
