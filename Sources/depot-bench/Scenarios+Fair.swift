import DepotClient
import DepotLinux
import DepotProtocol
import Foundation

extension Scenarios {
  /// Short calls while other clients send as much as they are allowed to.
  func fair() throws {
    let daemon = try Daemon(folder, name: "fair")
    defer { daemon.stop() }
    try Item.fill(daemon.connect(), options.rows)
    for crowd in Self.crowds {
      var rounds: [String: [Double]] = [:]
      for _ in 0..<options.rounds {
        let greedy = try crowd.clients(daemon.socket.path)
        try withExtendedLifetime(greedy) {
          for (what, operation) in Self.shortCalls {
            let seconds = min(0.5, options.seconds)
            let result = try Load.run(on: daemon, connections: 1, seconds: seconds, operation)
            rounds[what, default: []].append(result.p99 / 1000)
          }
        }
      }
      for (what, _) in Self.shortCalls {
        report.add(
          "fair",
          "\(what) beside \(crowd.name), p99",
          unit: "ms",
          rounds[what] ?? [],
          budget: what == "insert" ? 100 : 50
        )
      }
    }
  }

  private static let shortCalls: [(String, @Sendable (Int64) -> DepotProtocol.Operation)] = [
    ("get", { .get(GetRequest(entity: "Item", identifiers: [$0 % 1000 + 1])) }),
    (
      "fetch of 10 rows",
      { _ in .fetch(FetchRequest(entity: "Item", sort: [SortKey("$id")], limit: 10)) }
    ),
    (
      "count of 3 ms",
      { number in
        let few = QueryExpression.comparison(.less, .attribute("$id"), .value(.int64(15_000)))
        let size = QueryExpression.comparison(
          .greater,
          .attribute("size"),
          .value(.int64(number % 100))
        )
        return .count(CountRequest(entity: "Item", predicate: .and([few, size])))
      }
    ),
    (
      "insert",
      { number in
        var rows = RowBatch()
        rows.appendRow { Item(Int(number)).write(to: &$0) }
        return .insert(InsertRequest(entity: "Item", columns: Item.columns, rows: rows))
      }
    ),
  ]

  /// Clients that ask for much, within their limits, and read nothing.
  private struct Crowd {
    var name: String
    var count: Int
    /// The calls of each client, without their ids; KEY is replaced by a new key.
    var calls: [String]

    init(_ name: String, _ count: Int, _ calls: [String]) {
      (self.name, self.count, self.calls) = (name, count, calls)
    }

    /// Connects and sends; the clients end when the result is released.
    func clients(_ path: String) throws -> [Descriptor] {
      let frames =
        [#"{"hello":{"protocol":[1,1]}}"#]
        + calls.enumerated().map { number, call in
          #"{"id":\#(number + 1),\#(call.replacing("KEY", with: UUID().uuidString))}"#
        }
      let bytes = frames.flatMap { frame in
        withUnsafeBytes(of: UInt32(frame.utf8.count).bigEndian) { Array($0) } + Array(frame.utf8)
      }
      return try (0..<count).map { _ in
        let descriptor = try UnixSocket.connect(path: path)
        try descriptor.sendAll(bytes)
        return descriptor
      }
    }
  }

  private static let crowds: [Crowd] = {
    let fetch = #""call":"fetch","args":{"entity":"Item"}"#
    let patterns = (0..<40).map { "NOT (name LIKE '*a*\($0)*z*')" }.joined(separator: " AND ")
    let count = #""call":"count","args":{"entity":"Item","where":"\#(patterns)"}"#
    let all = #""args":{"entity":"Item","where":"size >= 0","compute":{"score":"score + 1"}"#
    return [
      Crowd("nothing else", 0, []),
      Crowd("3 clients with 32 unread fetches each", 3, Array(repeating: fetch, count: 32)),
      Crowd(
        "50 clients with 32 fetches without credit",
        50,
        Array(repeating: fetch + #","credit":1"#, count: 32)
      ),
      Crowd("4 clients with 10 long counts each", 4, Array(repeating: count, count: 10)),
      Crowd(
        "an update of all rows in chunks",
        1,
        [#""call":"update",\#(all),"chunk":1000},"key":"KEY""#]
      ),
    ]
  }()
}
