import DepotProtocol
import Foundation
import Synchronization
import Testing

@testable import DepotEngine

/// What a client makes of the frames of a watched query.
struct LiveRows {
  private(set) var rows: [[JSONValue]] = []
  private(set) var columns: [String] = []
  private(set) var token: String?
  private(set) var isLive = false
  private var parts: [JSONValue] = []

  struct Broken: Error {
    var why: String
  }

  var identifiers: [Int64] { rows.compactMap { $0.first?.int64 } }

  mutating func apply(_ frame: JSONValue) throws {
    switch frame["kind"]?.string {
    case "snapshot":
      if let names = frame["columns"]?.array { columns = names.compactMap(\.string) }
      rows += try Self.rows(frame)
    case "live", "mark":
      token = frame["token"]?.string
      isLive = true
    case "gap":
      rows = []
      isLive = false
    case "resume":
      parts.append(frame)
      if frame["more"] == nil {
        try resume(parts)
        parts = []
      }
    case "change":
      parts.append(frame)
      token = frame["token"]?.string
      if frame["more"] == nil {
        try change(parts)
        parts = []
      }
    default: throw Broken(why: "\(frame)")
    }
  }

  private static func rows(_ frame: JSONValue) throws -> [[JSONValue]] {
    guard let rows = frame["next"]?.array?.compactMap(\.array) else { throw Broken(why: "no rows") }
    return rows
  }

  private mutating func resume(_ frames: [JSONValue]) throws {
    var known = Dictionary(uniqueKeysWithValues: zip(identifiers, rows))
    var order: [Int64] = []
    for frame in frames {
      for row in try Self.rows(frame) { known[row[0].int64 ?? 0] = row }
      guard let part = frame["order"]?.array?.compactMap(\.int64) else {
        throw Broken(why: "order")
      }
      order += part
      token = frame["token"]?.string
    }
    rows = try order.map { identifier in
      guard let row = known[identifier] else { throw Broken(why: "\(identifier) is unknown") }
      return row
    }
  }

  private mutating func change(_ frames: [JSONValue]) throws {
    var leaving: Set<Int> = []
    var coming: [(at: Int, row: [JSONValue])] = []
    for frame in frames {
      for removed in frame["removed"]?.array ?? [] {
        let from = Int(removed["from"]?.int64 ?? -1)
        guard rows.indices.contains(from), rows[from].first == removed["id"] else {
          throw Broken(why: "\(removed) of \(identifiers)")
        }
        leaving.insert(from)
      }
      let changes = frame["changes"]?.array ?? []
      let next = try Self.rows(frame)
      guard changes.count == next.count else { throw Broken(why: "\(frame)") }
      for (change, row) in zip(changes, next) {
        let at = Int(change["at"]?.int64 ?? -1)
        if let last = coming.last, last.at >= at { throw Broken(why: "not sorted: \(frame)") }
        coming.append((at, row))
        guard change["kind"]?.string == "updated" else { continue }
        let from = Int(change["from"]?.int64 ?? -1)
        guard rows.indices.contains(from), rows[from].first == row.first,
          change["properties"]?.array != nil
        else { throw Broken(why: "\(change) of \(identifiers)") }
        leaving.insert(from)
      }
    }
    for place in leaving.sorted(by: >) { rows.remove(at: place) }
    for change in coming {
      guard change.at <= rows.count else { throw Broken(why: "\(change.at) of \(rows.count)") }
      rows.insert(change.row, at: change.at)
    }
  }
}

/// A client that watches, and keeps all that it gets.
final class LiveClient: Sendable {
  private let frames = Mutex<[JSONValue]>([])
  private let handle = Mutex<LiveWatch?>(nil)

  /// The frames so far.
  var all: [JSONValue] { frames.withLock { $0 } }

  /// The kinds of the frames so far.
  var kinds: [String] { all.map { $0["kind"]?.string ?? ($0["err"] != nil ? "err" : "ok") } }

  var watch: LiveWatch? { handle.withLock { $0 } }

  /// The frames since the last call.
  func take() -> [JSONValue] {
    frames.withLock { frames in
      defer { frames = [] }
      return frames
    }
  }

  func begin(
    _ request: WatchRequest,
    on live: LiveQueries,
    connection: Int64,
    allowance: Int?,
    control: CallControl = CallControl(),
    reply: ReplyWriter = ReplyWriter(id: 1, framing: .lines)
  ) {
    let watch = LiveWatch(
      request,
      control: control,
      reply: reply,
      connection: connection,
      allowance: allowance
    ) { [self] bytes, _, _ in
      let lines = bytes.split(separator: 0x0A).compactMap { try? JSONValue(parsing: $0) }
      frames.withLock { $0 += lines }
    }
    handle.withLock { $0 = watch }
    live.begin(watch)
  }
}

/// A store whose queries can be watched.
final class LiveFixture: Sendable {
  let fixture: StoreFixture
  let readers: ReaderPool
  let live: LiveQueries

  init(path: String, schema: Schema, patience: UInt64 = 2_000_000) async throws {
    let configuration = StoreConfiguration(path: path)
    let feed = ChangeFeed()
    fixture = try StoreFixture(configuration, onChanges: { feed.add($0) })
    try await fixture.write(.defineSchema(schema, isDryRun: false))
    readers = ReaderPool(path: path)
    live = try LiveQueries(
      configuration,
      store: fixture.store,
      readers: readers,
      feed: feed,
      patience: patience
    )
  }

  /// Begins to watch, and waits until the client knows what there is.
  func watch(
    _ request: WatchRequest,
    connection: Int64 = 7,
    allowance: Int? = nil
  ) async throws -> LiveClient {
    let client = LiveClient()
    client.begin(request, on: live, connection: connection, allowance: allowance)
    if allowance == nil { try await settle(connection) }
    return client
  }

  /// Waits until a connection knows of everything.
  @discardableResult
  func settle(_ connection: Int64 = 7) async throws -> HistoryToken {
    try await withCheckedThrowingContinuation { continuation in
      live.add(
        LiveBarrier(connection: connection, control: CallControl()) { result in
          continuation.resume(with: result)
        }
      )
    }
  }

  /// Returns the rows that a fetch gives now.
  func fetch(_ request: FetchRequest) async throws -> [[JSONValue]] {
    try await rows(of: .fetch(request))
  }

  /// Returns the rows that a read gives now; a count is one of one number.
  func rows(of operation: DepotProtocol.Operation) async throws -> [[JSONValue]] {
    let (stream, continuation) = AsyncStream<([UInt8], Bool)>.makeStream()
    readers.start(
      LongRead(
        operation: operation,
        catalog: fixture.store.catalog,
        control: CallControl(),
        reply: ReplyWriter(id: 1, framing: .lines)
      ) { frames, _, isLast in
        continuation.yield((frames, isLast))
      }
    )
    var rows: [[JSONValue]] = []
    for await (bytes, isLast) in stream {
      for line in bytes.split(separator: 0x0A) {
        let frame = try JSONValue(parsing: line)
        rows += frame["next"]?.array?.compactMap(\.array) ?? []
        if let count = frame["ok"]?["count"] { rows.append([count]) }
        if let error = frame["err"] { throw LiveRows.Broken(why: "\(error)") }
      }
      if isLast { break }
    }
    return rows
  }

  func close() async {
    await withCheckedContinuation { continuation in
      readers.close { [live] in
        live.close(reason: ReaderPool.draining) { continuation.resume() }
      }
    }
    await fixture.close()
  }
}

/// Runs `body` with a store whose queries can be watched.
func withLive(
  _ schema: Schema,
  _ body: (_ live: LiveFixture) async throws -> Void
) async throws {
  try await withStorePath { path in
    let live = try await LiveFixture(path: path, schema: schema)
    do {
      try await body(live)
    } catch {
      await live.close()
      throw error
    }
    await live.close()
  }
}
