import DepotClient
import DepotProtocol
import Foundation

extension Scenarios {
  /// A store that is in PostgreSQL, served by two services; the reference is PostgreSQL on the same cluster.
  static func cluster(
    _ options: Bench.Options,
    _ folder: TemporaryFolder,
    _ peers: Peers,
    _ report: inout Report
  ) throws {
    guard peers.hasPostgres else { return }
    let address = try peers.makeDatabase("depot")
    var services: [Daemon] = []
    defer { for service in services { service.stop() } }
    for number in 0..<2 {
      services.append(try Daemon(folder, name: "cluster-\(number)", store: address))
    }
    let connection = try services[0].connect()
    try connection.define(Item.schema)
    let plain = try PostgresConnection(folder: peers.postgresFolder)
    try plain.run("CREATE TABLE bulk (LIKE item INCLUDING ALL)")
    var depot: (inserted: [Double], fetched: [Double]) = ([], [])
    var postgres: (inserted: [Double], fetched: [Double]) = ([], [])
    for _ in 0..<options.rounds {
      try connection.delete(DeleteRequest(entity: "Item", rows: .predicate(.value(.bool(true)))))
      depot.inserted.append(
        try milliseconds {
          for start in stride(from: 1, through: options.rows, by: 10_000) {
            try connection.insert(Item.insertion(start..<min(start + 10_000, options.rows + 1)))
          }
        }
      )
      try plain.run("TRUNCATE bulk")
      postgres.inserted.append(
        try milliseconds {
          try plain.run("INSERT INTO bulk SELECT * FROM item LIMIT \(options.rows)")
        }
      )
      depot.fetched.append(
        try milliseconds {
          var count = 0
          try connection.fetch(sortedItems) { row in
            _ = try Item(from: &row)
            count += 1
          }
          guard count == options.rows else { throw BenchError("\(count) rows came") }
        }
      )
      postgres.fetched.append(
        try milliseconds { try plain.run("SELECT * FROM item ORDER BY size LIMIT \(options.rows)") }
      )
    }
    report.add(
      "cluster",
      "store in PostgreSQL: insert \(options.rows) rows of 6 columns",
      unit: "ms",
      depot.inserted,
      reference: "INSERT … SELECT there",
      postgres.inserted
    )
    report.add(
      "cluster",
      "store in PostgreSQL: fetch \(options.rows) rows of 6 columns, sorted",
      unit: "ms",
      depot.fetched,
      reference: "SELECT … ORDER BY as text, not parsed",
      postgres.fetched,
      budget: 1.5
    )
    // The identifiers of rows that were deleted aren't given out again.
    let first = Int64((options.rounds - 1) * options.rows + 1)
    try clusterRates(options, services, from: first, peers, &report)
    try clusterDelays(options, folder, services, peers, &report)
  }

  private static let sortedItems = FetchRequest(
    entity: "Item",
    sort: [SortKey("size")],
    select: Item.columns,
    namesColumns: false
  )
}
