import DepotProtocol
import DepotSQLite
import Testing

@testable import DepotEngine

/// Random writes that are undone and done again, and states that are read back.
@Suite struct UndoPropertyTests {
  /// The rows by entity and identifier, without versions and what a request can't give, and the links.
  private struct State: Equatable {
    var rows: [String: [String: JSONValue]] = [:]
    var links: Set<[Int64]> = []
  }

  private static let entities = ["Node", "Leaf", "Tag", "Loud"]

  private func read(_ store: StoreFixture, _ path: String) throws -> State {
    var state = State()
    let reader = try QuickReader(path: path, budget: 60_000_000_000)
    for entity in Self.entities {
      var writer = JSONWriter()
      var request = FetchRequest(entity: entity)
      request.includesSubentities = false
      _ = try reader.perform(
        .fetch(request),
        catalog: store.store.catalog,
        control: CallControl(),
        reply: ReplyWriter(id: 1, framing: .lines),
        into: &writer
      )
      let frames = try ReaderFixture.lines(writer.bytes)
      let columns = frames.first?["columns"]?.array?.compactMap(\.string) ?? []
      for row in frames.flatMap({ $0["next"]?.array ?? [] }) {
        var values: [String: JSONValue] = [:]
        for (column, value) in zip(columns, row.array ?? []) where !column.hasPrefix("$") {
          values[column] = value
        }
        state.rows["\(entity)/\(row.array?.first?.int64 ?? 0)"] = values
      }
    }
    for row in try DepotEngineTests.rows(#"SELECT source, target FROM "j_Node.tags""#, in: path) {
      guard case .integer(let source) = row[0], case .integer(let target) = row[1] else { continue }
      state.links.insert([source, target])
    }
    return state
  }

  /// Makes random writes; returns the tokens of those that changed something, with the states after them.
  private func write(
    _ store: StoreFixture,
    _ path: String,
    _ generator: inout SeededGenerator,
    count: Int
  ) async throws -> [(token: String, state: State)] {
    try await store.insert("Tag", ["label"], #"[["a"],["b"],["c"],["d"],["e"],["f"]]"#)
    try await store.insert("Node", ["size"], "[[1],[1],[1],[1],[1],[1],[1],[1],[1],[1]]")
    let past = PastFixture(store: store, path: path)
    var steps = [(token: try past.head(), state: try read(store, path))]
    for _ in 0..<count {
      let (name, arguments) = RandomWrite(&generator).call
      // Values outside their rows can't be brought back.
      let text = arguments.replacing("\"AQID\"", with: "null")
      guard (try? await store.call(name, text)) != nil else { continue }
      let head = try past.head()
      guard head != steps.last?.token else { continue }
      steps.append((head, try read(store, path)))
    }
    return steps
  }

  @Test(arguments: 1...6)
  func `undoing in reverse gives each earlier state, doing again each later one`(
    seed: Int
  ) async throws {
    try await withPast(.recorded) { store, past in
      var generator = SeededGenerator(seed: UInt64(seed))
      let steps = try await write(store, past.path, &generator, count: 60)
      #expect(steps.count > 20)
      // A chunked write is several transactions, of which only the last state was seen.
      let tokens = try past.history("{\"since\":\"\(steps[0].token)\"}")
        .filter { $0["changes"] != .array([]) }.compactMap { $0["token"]?.string }
      let states = Dictionary(steps.map { ($0.token, $0.state) }) { first, _ in first }
      var undone: [(undo: String, before: State)] = []
      for index in tokens.indices.reversed() {
        let before = try read(store, past.path)
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
      #expect(try read(store, past.path) == steps[0].state)
      for (undo, before) in undone.reversed() {
        try await store.call("redo", "{\"token\":\"\(undo)\"}")
        #expect(try read(store, past.path) == before, "\(undo)")
      }
      let last = await store.code { try await store.call("redo", "{}") }
      #expect(last?.code == .nothingToUndo)
    }
  }

  @Test(arguments: 11...14)
  func `a row at a token is what it was then`(seed: Int) async throws {
    try await withPast(.recorded) { store, past in
      var generator = SeededGenerator(seed: UInt64(seed))
      var steps = try await write(store, past.path, &generator, count: 40)
      // Rows that were made again have several lives.
      for step in steps.suffix(8).reversed() {
        guard (try? await store.call("undo", "{\"token\":\"\(step.token)\"}")) != nil else { break }
        steps.append((try past.head(), try read(store, past.path)))
      }
      let keys = Set(steps.flatMap { Array($0.state.rows.keys) })
      for step in steps {
        for key in keys.sorted() {
          let parts = key.split(separator: "/")
          let arguments = "{\"entity\":\"\(parts[0])\",\"id\":\(parts[1]),\"at\":\"\(step.token)\"}"
          let row = try past.ask("history.row", arguments)
          #expect(row["row"]?.object == step.state.rows[key], "\(key) at \(step.token)")
        }
      }
      // What the stream says of an insertion is what the row was afterwards.
      let states = Dictionary(steps.map { ($0.token, $0.state) }) { first, _ in first }
      for transaction in try past.history() {
        guard let state = states[transaction["token"]?.string ?? ""] else { continue }
        for change in transaction["changes"]?.array ?? [] where change["kind"] == .string("insert")
        {
          let key = "\(change["entity"]?.string ?? "")/\(change["id"]?.int64 ?? 0)"
          #expect(change["new"]?.object == state.rows[key], "\(key)")
        }
      }
    }
  }
}
