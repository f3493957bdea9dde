import DepotProtocol
import DepotSQLite
import TestSupport
import Testing

@testable import DepotEngine

/// Random writes that are undone and done again, and states that are read back.
@Suite struct UndoPropertyTests {
  /// Makes random writes; returns the tokens of those that changed something, with the states after them.
  private func write(
    _ store: StoreFixture,
    _ path: String,
    _ generator: inout SeededGenerator,
    count: Int
  ) async throws -> [(token: String, state: StoredState)] {
    try await store.insert("Tag", ["label"], #"[["a"],["b"],["c"],["d"],["e"],["f"]]"#)
    try await store.insert("Node", ["size"], "[[1],[1],[1],[1],[1],[1],[1],[1],[1],[1]]")
    let past = PastFixture(store: store, path: path)
    var steps = [(token: try past.head(), state: try StoredState(store, path))]
    for _ in 0..<count {
      let (name, arguments) = RandomWrite(&generator).call
      // Values outside their rows can't be brought back.
      let text = arguments.replacing("\"AQID\"", with: "null")
      let outcome = try await unlessRefused { try await store.call(name, text) }
      guard outcome != nil else { continue }
      let head = try past.head()
      guard head != steps.last?.token else { continue }
      steps.append((head, try StoredState(store, path)))
    }
    return steps
  }

  /// With the seed 14, an undo changes nothing.
  @Test(arguments: Array(seeds(6)) + [14], [UndoLimits().rows, 1])
  func `undoing in reverse gives each earlier state, doing again each later one`(
    seed: Int,
    rowsTogether: Int
  ) async throws {
    var limits = UndoLimits()
    limits.rows = rowsTogether
    try await withPast(.recorded, undo: limits) { store, past in
      var generator = SeededGenerator(seed: UInt64(seed))
      let steps = try await write(store, past.path, &generator, count: 60)
      #expect(steps.count > 20)
      // A chunked write is several transactions, of which only the last state was seen.
      let tokens = try past.history("{\"since\":\"\(steps[0].token)\"}")
        .filter { $0["changes"] != .array([]) }.compactMap { $0["token"]?.string }
      let states = Dictionary(steps.map { ($0.token, $0.state) }) { first, _ in first }
      var undone: [(undo: String, before: StoredState)] = []
      for index in tokens.indices.reversed() {
        let before = try StoredState(store, past.path)
        if let state = states[tokens[index]] { #expect(before == state, "\(tokens[index])") }
        do {
          let result = try await store.call("undo", "{\"token\":\"\(tokens[index])\"}")
          #expect(result["undone"] == .array([.string(tokens[index])]))
          #expect(result["conflicts"] == .array([]))
          undone.append((result["token"]?.string ?? "", before))
        } catch {
          Issue.record("\(tokens[index]): \(error)")
          return
        }
        let again = await store.code {
          try await store.call("undo", "{\"token\":\"\(tokens[index])\"}")
        }
        #expect(again?.code == .alreadyUndone)
      }
      #expect(try StoredState(store, past.path) == steps[0].state)
      for (undo, before) in undone.reversed() {
        try await store.call("redo", "{\"token\":\"\(undo)\"}")
        #expect(try StoredState(store, past.path) == before, "\(undo)")
      }
      let last = await store.code { try await store.call("redo", "{}") }
      #expect(last?.code == .nothingToUndo)
    }
  }

  /// Checks that a change of a composite's part tells all parts as they are afterwards.
  private func checkComposites(_ change: JSONValue, after state: StoredState) throws {
    let key = "\(change["entity"]?.string ?? "")/\(change["id"]?.int64 ?? 0)"
    let parts = ["home", "home.city", "home.zip"]
    let changed = Set((change["properties"]?.array ?? []).compactMap(\.string))
    guard !changed.isDisjoint(with: parts) else { return }
    for part in parts {
      #expect(change["new"]?[part] == state.values[key]?[part], "\(key).\(part)")
      let hasChanged = change["old"]?[part] != change["new"]?[part]
      #expect(hasChanged == changed.contains(part), "\(key).\(part)")
    }
  }

  /// Conflicts and their resolution by each policy are equal.
  @Test(arguments: seeds(6))
  func `transactions in the middle are undone alike at once and in parts`(
    seed: Int
  ) async throws {
    var limits = UndoLimits()
    limits.rows = 1
    try await withPast(.recorded) { whole, wholePast in
      try await withPast(.recorded, undo: limits) { parts, partsPast in
        var (first, second) = (
          SeededGenerator(seed: UInt64(seed)), SeededGenerator(seed: UInt64(seed))
        )
        let steps = try await write(whole, wholePast.path, &first, count: 60)
        let others = try await write(parts, partsPast.path, &second, count: 60)
        #expect(steps.map(\.state) == others.map(\.state))
        var (done, refused) = (0, 0)
        for _ in 0..<40 {
          let index = Int.random(in: 1..<steps.count, using: &first)
          let policy = MergePolicy.allCases.randomElement(using: &first) ?? .error
          let outcome = try await Self.undo(steps[index].token, policy, whole)
          let other = try await Self.undo(others[index].token, policy, parts)
          #expect(outcome == other, "\(index) with \(policy)")
          let states = try (
            StoredState(whole, wholePast.path), StoredState(parts, partsPast.path)
          )
          #expect(states.0 == states.1, "\(index) with \(policy)")
          if outcome.isDone { done += 1 } else { refused += 1 }
        }
        #expect(done > 0 && refused > 0, "\(done) were undone, \(refused) refused")
      }
    }
  }

  /// Undoes a transaction, and returns the outcome without tokens and times.
  private static func undo(
    _ token: String,
    _ policy: MergePolicy,
    _ store: StoreFixture
  ) async throws -> (text: String, isDone: Bool) {
    func plain(_ conflicts: JSONValue?) -> String {
      (conflicts?.array ?? []).map { conflict in
        var members = conflict.object ?? [:]
        members["changedBy"] = nil
        return JSONValue.object(members).text
      }.joined(separator: "\n")
    }
    do {
      let call = #"{"token":"\#(token)","policy":"\#(policy.rawValue)"}"#
      return (plain(try await store.call("undo", call)["conflicts"]), true)
    } catch let error as DepotError {
      #expect(error.code != .bug, "\(error)")
      return ("\(error.code) \(plain(error.details?["conflicts"]))", false)
    }
  }

  @Test(arguments: seeds(4))
  func `a row at a token is what it was then`(seed: Int) async throws {
    try await withPast(.recorded) { store, past in
      var generator = SeededGenerator(seed: UInt64(seed))
      var steps = try await write(store, past.path, &generator, count: 40)
      // Rows that were made again have several lives.
      for step in steps.suffix(8).reversed() {
        let token = step.token
        let outcome = try await unlessRefused {
          try await store.call("undo", "{\"token\":\"\(token)\"}")
        }
        guard outcome != nil else { break }
        steps.append((try past.head(), try StoredState(store, past.path)))
      }
      let keys = Set(steps.flatMap { Array($0.state.values.keys) })
      for step in steps {
        for key in keys.sorted() {
          let parts = key.split(separator: "/")
          let arguments = "{\"entity\":\"\(parts[0])\",\"id\":\(parts[1]),\"at\":\"\(step.token)\"}"
          let row = try past.ask("history.row", arguments)
          #expect(row["row"]?.object == step.state.values[key], "\(key) at \(step.token)")
        }
      }
      // What the stream says of an insertion is what the row was afterwards.
      let states = Dictionary(steps.map { ($0.token, $0.state) }) { first, _ in first }
      for transaction in try past.history() {
        guard let state = states[transaction["token"]?.string ?? ""] else { continue }
        for change in transaction["changes"]?.array ?? [] where change["kind"] == .string("insert")
        {
          let key = "\(change["entity"]?.string ?? "")/\(change["id"]?.int64 ?? 0)"
          #expect(change["new"]?.object == state.values[key], "\(key)")
        }
        for change in transaction["changes"]?.array ?? [] where change["kind"] == .string("update")
        {
          try checkComposites(change, after: state)
        }
      }
    }
  }
}
