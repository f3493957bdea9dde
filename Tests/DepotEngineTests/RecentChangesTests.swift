import DepotProtocol
import DepotSQLite
import TestSupport
import Testing

@testable import DepotEngine

/// Transactions that watched histories get in memory.
@Suite("Transactions in memory")
struct RecentChangesTests {
  /// Requests of every kind that a watch can make.
  private static let requests = [
    HistoryRequest(), HistoryRequest(hasValues: false), HistoryRequest(entity: "Node"),
    HistoryRequest(entity: "Leaf"), HistoryRequest(entity: "Tag", properties: ["label"]),
    HistoryRequest(properties: ["size", "tags"]), HistoryRequest(author: "Ann"),
  ]

  private func frames(_ run: HistoryRun) throws -> [[UInt8]] {
    defer { run.close() }
    var frames: [[UInt8]] = []
    while try run.prepareFrame() {
      var writer = JSONWriter()
      _ = try run.writeFrame(to: &writer, byteLimit: 2000)
      frames.append(writer.bytes)
    }
    return frames
  }

  @Test(
    "Random transactions give the same frames from memory as from the store",
    arguments: seeds(6)
  )
  func frames(seed: Int) async throws {
    try await withStore(.recorded) { store, path in
      var generator = SeededGenerator(seed: UInt64(seed))
      try await store.insert("Tag", ["label"], #"[["a"],["b"],["c"],["d"],["e"],["f"]]"#)
      try await store.insert("Node", ["size"], "[[1],[1],[1],[1],[1],[1],[1],[1],[1],[1]]")
      let connection = try Connection.reader(path: path, isFrozen: false, cacheKiB: 2048)
      store.store.interest.raise()
      var (compared, withInsertions) = (0, 0)
      for _ in 0..<60 {
        _ = store.changes.takeAll()
        let start = try connection.historyHead()
        for _ in 0..<Int.random(in: 1...3, using: &generator) {
          let (name, arguments) = RandomWrite(&generator).call
          _ = try await unlessRefused { try await store.call(name, arguments) }
          if Int.random(in: 0..<8, using: &generator) == 0 {
            _ = try await unlessRefused { try await store.call("undo", "{}") }
          }
        }
        var recent = RecentChanges(after: start)
        for commit in store.changes.takeAll() { recent.add(commit) }
        let sets = try #require(recent.after(start))
        let bounds = try HistoryBounds(on: connection)
        let catalog = store.store.catalog
        for (number, request) in Self.requests.enumerated() {
          let own =
            number == 0 ? HistorySelection.Own(connection: 7, after: start + 1) : nil
          let reply = ReplyWriter(
            id: 5,
            framing: .length,
            int64: number % 2 == 0 ? .number : .string
          )
          let memory = try HistoryRun(
            sets,
            request,
            watchedSince: start,
            without: own,
            catalog,
            reply,
            bounds: bounds
          )
          guard let memory else { continue }
          let stored = try HistoryRun(
            request,
            watchedSince: start,
            without: own,
            catalog,
            reply,
            on: connection
          ) { _ in }
          let (found, expected) = (try frames(memory), try frames(stored))
          try connection.run("COMMIT")
          #expect(found == expected, "\(request)")
          guard found == expected else { return }
          compared += 1
          if request.hasValues, sets.contains(where: { $0.inserted?.isEmpty == false }) {
            withInsertions += 1
          }
        }
      }
      #expect(compared > 200)
      #expect(withInsertions > 15)
    }
  }

  @Test("A page that stands for many insertions is read from the store")
  func manyInsertions() async throws {
    let page = HistoryPage(entity: "Tag", root: "Tag", kind: .insert)
    _ = page.add(inserted: InsertRange(entity: 0, first: 1, last: 1_000_000_000_000))
    let set = ChangeSet(
      token: 1,
      at: 0,
      origin: TransactionOrigin(),
      kinds: [],
      pages: [.init(identifier: 1, entity: "Tag", kind: .insert, bytes: page.bytes)],
      inserted: nil
    )
    try await withStore(.recorded) { store, path in
      let connection = try Connection.reader(path: path, isFrozen: false, cacheKiB: 2048)
      let bounds = try HistoryBounds(on: connection)
      let catalog = store.store.catalog
      let request = HistoryRequest(hasValues: false)
      let selection = try HistorySelection(request, catalog, bounds, after: 0)
      let recent = try RecentHistory([set][...], selection, catalog)
      #expect(recent == nil)
    }
  }

  @Test("A set that isn't in memory leaves nothing before it")
  func floor() {
    func commit(_ token: Int64, isInMemory: Bool = true, bytes: Int = 10) -> CommittedChanges {
      var commit = CommittedChanges(token: token, at: 0)
      let page = ChangeSet.Page(
        identifier: token,
        entity: "Item",
        kind: .update,
        bytes: Array(repeating: 0, count: bytes)
      )
      if isInMemory {
        commit.set = ChangeSet(
          token: token,
          at: 0,
          origin: TransactionOrigin(),
          kinds: [],
          pages: [page],
          inserted: []
        )
      }
      return commit
    }
    var recent = RecentChanges(after: 10)
    #expect(recent.after(9) == nil)
    #expect(recent.after(10)?.isEmpty == true)
    recent.add(commit(12))
    recent.add(commit(15))
    #expect(recent.after(10)?.map(\.token) == [12, 15])
    #expect(recent.after(12)?.map(\.token) == [15])
    #expect(recent.after(15)?.isEmpty == true)
    recent.add(commit(16, isInMemory: false))
    #expect(recent.after(15) == nil)
    #expect(recent.after(16)?.isEmpty == true)
    recent.add(commit(17))
    // A commit that comes late, as one of another service may, makes what is known doubtful.
    recent.add(commit(14))
    #expect(recent.after(16) == nil)
    #expect(recent.after(17)?.isEmpty == true)
    for token: Int64 in 18...200 { recent.add(commit(token)) }
    #expect(recent.after(70) == nil)
    #expect(recent.after(140)?.count == 60)
    for token: Int64 in 201...210 { recent.add(commit(token, bytes: 300_000)) }
    #expect(recent.after(206) == nil)
    #expect(recent.after(209)?.map(\.token) == [210])
  }
}
