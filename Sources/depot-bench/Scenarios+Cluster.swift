import DepotClient
import DepotProtocol
import Foundation
import Synchronization

extension Scenarios {
  /// A store that is in PostgreSQL, served by two services; the reference is PostgreSQL on the same cluster.
  func cluster() throws {
    guard peers.hasPostgres else { return }
    let address = try peers.makeDatabase("depot")
    var services: [Daemon] = []
    defer { for service in services { service.stop() } }
    for number in 0..<4 {
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
          try connection.fetch(Self.sortedItems) { row in
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
    try clusterRates(services, from: first)
    try clusterDelays(services)
    try together(services, "one node")
    try peers.replicatePostgres()
    try together(services, "three nodes")
  }

  /// Inserts of 16 connections, through one service and through all.
  private func together(_ services: [Daemon], _ label: String) throws {
    var one: [Double] = []
    var all: [Double] = []
    var postgres: [Double] = []
    for _ in 0..<options.rounds {
      one.append(try rate(of: Array(services.prefix(1)), connections: 16))
      all.append(try rate(of: services, connections: 16 / services.count))
      postgres.append(
        try peers.postgresCalls(Peers.insertion, clients: 16, seconds: options.seconds).rate
      )
    }
    for (what, rates) in [("one service", one), ("\(services.count) services", all)] {
      report.add(
        "cluster",
        "store in PostgreSQL, \(label), \(what): durable insert, 16 connections",
        unit: "/s",
        rates,
        reference: "pgbench insert",
        postgres,
        isRate: true,
        budget: 0.4
      )
    }
  }

  /// Returns how many inserts some services answer together in a second.
  private func rate(of services: [Daemon], connections: Int) throws -> Double {
    let results = Mutex<[Result<Double, any Error>]>([])
    let (sockets, seconds) = (services.map(\.socket.path), options.seconds)
    DispatchQueue.concurrentPerform(iterations: sockets.count) { place in
      let result = Result {
        try Load.run(socket: sockets[place], connections: connections, seconds: seconds) {
          .insert(Item.insertion(Int($0)..<Int($0) + 1))
        }.callsPerSecond
      }
      results.withLock { $0.append(result) }
    }
    return try results.withLock { try $0.reduce(0) { try $0 + $1.get() } }
  }

  private static let sortedItems = FetchRequest(
    entity: "Item",
    sort: [SortKey("size")],
    select: Item.columns,
    namesColumns: false
  )
}
