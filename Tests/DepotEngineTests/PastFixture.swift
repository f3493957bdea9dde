import DepotProtocol
import DepotSQLite
import Testing

@testable import DepotEngine

/// Asks a store about its past.
struct PastFixture {
  let store: StoreFixture
  let path: String

  /// Opens the store for reading.
  func connection() throws -> Connection {
    try .reader(path: path, isFrozen: false, cacheKiB: 2048)
  }

  /// The frames of a stream of the history, the terminal one last.
  func frames(
    _ json: String = "{}",
    byteLimit: Int = 64 << 10,
    int64: Int64Form = .number
  ) throws -> [JSONValue] {
    guard case .history(let request) = try Operation("history", json) else { return [] }
    let reply = ReplyWriter(id: 1, framing: .lines, int64: int64)
    let run = try HistoryRun(request, store.store.catalog, reply, on: connection()) { _ in }
    defer { run.close() }
    var writer = JSONWriter()
    while try run.prepareFrame(), try !run.writeFrame(to: &writer, byteLimit: byteLimit) {}
    run.writeEnd(to: &writer)
    return try ReaderFixture.lines(writer.bytes)
  }

  /// The transactions of the history, their pieces put together.
  func history(_ json: String = "{}", byteLimit: Int = 64 << 10) throws -> [JSONValue] {
    var result: [JSONValue] = []
    var isOpen = false
    for piece in try frames(json, byteLimit: byteLimit).flatMap({ $0["next"]?.array ?? [] }) {
      var members = piece.object ?? [:]
      let isPart = members.removeValue(forKey: "more") != nil
      if isOpen, var last = result.popLast()?.object {
        #expect(last["token"] == members["token"])
        let changes = (last["changes"]?.array ?? []) + (members["changes"]?.array ?? [])
        last["changes"] = .array(changes)
        members = last
      }
      isOpen = isPart
      result.append(.object(members))
    }
    #expect(!isOpen)
    return result
  }

  /// The answer to a short question.
  func ask(_ name: String, _ json: String = "{}") throws -> JSONValue {
    var writer = JSONWriter()
    let answers = HistoryAnswers(
      connection: try connection(),
      catalog: store.store.catalog,
      reply: ReplyWriter(id: 1, framing: .lines)
    ) { _ in }
    try answers.answer(Operation(name, json), to: &writer)
    return try ReaderFixture.lines(writer.bytes).first?["ok"] ?? .null
  }

  /// The token of the last transaction.
  func head() throws -> String { try ask("history.status")["head"]?.string ?? "" }

  /// Returns the number of the transaction that inserted an item.
  func inserted(_ row: Int64) throws -> Int64? {
    let answer = try ask("history.row", #"{"entity":"Item","id":\#(row)}"#)
    return try answer["inserted"]?["token"]?.string.map { try HistoryToken($0).sequence }
  }

  /// The changes of a transaction as short texts.
  static func texts(_ transaction: JSONValue?) -> [String] {
    (transaction?["changes"]?.array ?? []).map { change in
      var members = change.object ?? [:]
      let kind = members.removeValue(forKey: "kind")?.string ?? ""
      let entity = members.removeValue(forKey: "entity")?.string ?? ""
      let id = members.removeValue(forKey: "id")?.int64 ?? 0
      return "\(kind) \(entity)/\(id) \(JSONValue.object(members).text)"
    }
  }

  /// What `sql` gives as one number.
  func count(_ sql: String) throws -> Int64 {
    guard case .integer(let count)? = try rows(sql, in: path).first?.first else { return -1 }
    return count
  }
}

/// Runs `body` with a new store of a schema, and what asks about its past.
func withPast(
  _ schema: Schema = .items,
  undo: UndoLimits = UndoLimits(),
  _ body: (_ store: StoreFixture, _ past: PastFixture) async throws -> Void
) async throws {
  try await withStore(schema, undo: undo) { store, path in
    try await body(store, PastFixture(store: store, path: path))
    #expect(try await store.problems(path) == [])
  }
}
