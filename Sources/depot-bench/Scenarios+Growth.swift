import DepotClient
import DepotLinux
import DepotProtocol
import Foundation

/// The rates in a store of many rows, and with a thousand connections.
extension Scenarios {
  /// How short calls, and counts by a scan, go as the rows become more, and as the connections do.
  func growth() throws {
    let daemon = try Daemon(folder, name: "growth")
    defer { daemon.stop() }
    let connection = try daemon.connect()
    var schema = Item.schema
    schema.entities[0].indexes = [["size"]]
    try connection.define(schema)
    var rates: [[[Double]]] = []
    let sizes = [options.largeRows / 10, options.largeRows, options.largeRows * 10]
    var filled = 0
    for rows in sizes {
      while filled < rows {
        try connection.insert(Item.insertion(filled + 1..<filled + 10_001))
        filled += 10_000
      }
      let calls = Self.growingCalls(rows)
      var measured = calls.map { _ in [Double]() }
      for _ in 0..<options.rounds {
        for (place, call) in calls.enumerated() {
          measured[place].append(try rate(daemon, 16, call.operation))
        }
      }
      rates.append(measured)
      let request = CountRequest(
        entity: "Item",
        predicate: .comparison(.greater, .attribute("score"), .value(.double(60)))
      )
      var counts: [Double] = []
      for _ in 0..<3 { counts.append(try milliseconds { _ = try connection.count(request) }) }
      report.add("growth", "count by a scan of \(rows) rows", unit: "ms", counts)
    }
    for (place, call) in Self.growingCalls(sizes[2]).enumerated() {
      report.add(
        "growth",
        "\(call.what), 16 connections, of \(sizes[2]) rows",
        unit: "/s",
        rates[2][place],
        reference: "of \(sizes[1])",
        rates[1][place],
        isRate: true,
        budget: 0.9
      )
    }
    try crowds(daemon, sizes[2])
  }

  private func rate(
    _ daemon: Daemon,
    _ connections: Int,
    _ operation: (Int64) -> DepotProtocol.Operation
  ) throws -> Double {
    try Load.run(
      on: daemon,
      connections: connections,
      seconds: min(0.5, options.seconds),
      operation
    ).callsPerSecond
  }

  /// Measures a thousand connections, beside sixteen.
  ///
  /// They get and insert rows; the memory of an idle connection, and inserts with a thousand
  /// watches, are measured too.
  private func crowds(_ daemon: Daemon, _ rows: Int) throws {
    for call in Self.growingCalls(rows) where ["get", "durable insert"].contains(call.what) {
      var few: [Double] = []
      var many: [Double] = []
      for _ in 0..<options.rounds {
        few.append(try rate(daemon, 16, call.operation))
        many.append(try rate(daemon, 1000, call.operation))
      }
      report.add(
        "growth",
        "\(call.what), 1000 connections",
        unit: "/s",
        many,
        reference: "16 connections",
        few,
        isRate: true,
        budget: 0.9
      )
    }
    // A service that has had none before.
    let fresh = try Daemon(folder, name: "growth-idle")
    defer { fresh.stop() }
    let idle = fresh.child.kibibytes("VmRSS")
    var connections: [BlockingConnection] = []
    for _ in 0..<1000 { connections.append(try fresh.connect()) }
    for connection in connections { try connection.ping() }
    report.add(
      "growth",
      "memory of an idle connection",
      unit: "KiB",
      [Double(fresh.child.kibibytes("VmRSS") - idle) / 1000],
      budget: 32
    )
  }

  /// Short calls, each for another of so many rows.
  private static func growingCalls(
    _ rows: Int
  ) -> [(what: String, operation: (Int64) -> DepotProtocol.Operation)] {
    func row(_ number: Int64) -> Int64 { number &* 7919 % Int64(rows) + 1 }
    return [
      (
        "get",
        { .get(GetRequest(entity: "Item", identifiers: [row($0)], namesColumns: false)) }
      ),
      (
        "indexed fetch of 10 rows",
        { number in
          .fetch(
            FetchRequest(
              entity: "Item",
              predicate: .comparison(
                .greater,
                .attribute("size"),
                .value(.int64(row(number) % 1_000_003))
              ),
              sort: [SortKey("size")],
              limit: 10
            )
          )
        }
      ),
      ("durable insert", { .insert(Item.insertion(Int($0)..<Int($0) + 1)) }),
      (
        "save of 2 properties",
        { number in
          var changes = RowBatch()
          changes.appendRow {
            $0.append(row(number))
            $0.append("section-\(number % 57)")
            $0.append(Double(number % 1000) / 8)
          }
          return .save(
            SaveRequest(updates: [
              SaveRequest.Change(
                entity: "Item",
                columns: ["$id", "section", "score"],
                rows: changes
              )
            ])
          )
        }
      ),
    ]
  }
}
