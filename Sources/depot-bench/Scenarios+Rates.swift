import DepotClient
import DepotProtocol
import Foundation

/// Calls of one kind by several connections, beside the same calls of peers.
private struct Rates {
  /// A service, and its label in a figure.
  typealias Service = (label: String, daemon: Daemon)
  /// A peer: its name, and how many calls a second it answers for how many clients.
  typealias Peer = (name: String, measure: (Int) throws -> (rate: Double, cpu: Double?))

  var scenario: String
  /// The name of the calls in the report.
  var work: String
  /// The numbers of connections; each is measured by itself.
  var connections: [Int]
  var services: [Service]
  /// Returns the call of a connection with a number; each connection counts from 1.
  var operation: (Int64) -> DepotProtocol.Operation
  var postgres: Peer?
  var redis: (label: String, peer: Peer)?
  /// The least ratio to PostgreSQL, by the number of connections.
  var budgets: [Int: Double] = [:]

  /// Measures all services and peers in interleaved rounds.
  func measure(_ options: Bench.Options, _ report: inout Report) throws {
    for count in connections {
      var own = [[Load.Result]](repeating: [], count: services.count)
      var others: (postgres: [(rate: Double, cpu: Double?)], redis: [Double]) = ([], [])
      for _ in 0..<options.rounds {
        for (index, service) in services.enumerated() {
          own[index].append(
            try Load.run(
              on: service.daemon,
              connections: count,
              seconds: options.seconds,
              operation
            )
          )
        }
        if let postgres { others.postgres.append(try postgres.measure(count)) }
        if let redis { others.redis.append(try redis.peer.measure(count).rate) }
      }
      for (service, results) in zip(services, own) {
        let name = "\(work), \(count) connection\(count == 1 ? "" : "s")\(service.label)"
        let rates = results.map(\.callsPerSecond)
        report.add(
          scenario,
          name,
          unit: "/s",
          rates,
          reference: postgres?.name,
          others.postgres.map(\.rate),
          isRate: true,
          cpu: results.map(\.cpu),
          referenceCPU: others.postgres.compactMap(\.cpu),
          budget: postgres == nil ? nil : budgets[count]
        )
        guard let redis else { continue }
        report.add(
          scenario + "-redis",
          name + redis.label,
          unit: "/s",
          rates,
          reference: redis.peer.name,
          others.redis,
          isRate: true
        )
      }
    }
  }
}

extension Scenarios {
  /// Many connections get rows by identifier.
  func connections() throws {
    let daemon = try Daemon(folder, name: "connections")
    defer { daemon.stop() }
    try Item.fill(daemon.connect(), 100_000)
    try Rates(
      scenario: "connections",
      work: "get by identifier",
      connections: [1, 4, 16, 64],
      services: [("", daemon)],
      operation: { number in
        // The prime scatters consecutive numbers over all rows.
        let identifier = number &* 7919 % 100_000 + 1
        return .get(GetRequest(entity: "Item", identifiers: [identifier], namesColumns: false))
      },
      postgres: postgres("pgbench select", Peers.selection),
      redis: redis("redis-benchmark", "get", 50_000).map { (", beside Redis GET", $0) },
      budgets: [16: 1.4]
    ).measure(options, &report)
  }

  /// Gets and inserts of services with a store in PostgreSQL, beside PostgreSQL's own.
  ///
  /// The rows have consecutive identifiers from `first` on.
  func clusterRates(_ services: [Daemon], from first: Int64) throws {
    try Rates(
      scenario: "cluster",
      work: "store in PostgreSQL: get by identifier",
      connections: [1, 16],
      services: [("", services[0])],
      operation: { [options] number in
        .get(
          GetRequest(
            entity: "Item",
            identifiers: [number &* 7919 % Int64(options.rows) + first],
            namesColumns: false
          )
        )
      },
      postgres: postgres("pgbench select", Peers.selection),
      budgets: [1: 0.5, 16: 0.5]
    ).measure(options, &report)
    try Rates(
      scenario: "cluster",
      work: "store in PostgreSQL: durable insert",
      connections: [1, 4, 16, 64],
      services: [("", services[0])],
      operation: { .insert(Item.insertion(Int($0)..<Int($0) + 1)) },
      postgres: postgres("pgbench insert", Peers.insertion),
      budgets: [16: 0.4]
    ).measure(options, &report)
  }

  /// Single rows inserted, each on disk before it is acknowledged.
  func durableInsert() throws {
    let daemon = try Daemon(folder, name: "insert")
    defer { daemon.stop() }
    try Item.fill(daemon.connect(), 100_000)
    let redis = redis("redis-benchmark, fsync always", "set", 5000)
    try Rates(
      scenario: "insert",
      work: "durable insert",
      connections: [1, 4, 16, 64],
      services: [("", daemon)],
      operation: { .insert(Item.insertion(Int($0)..<Int($0) + 1)) },
      postgres: postgres("pgbench insert", Peers.insertion),
      redis: redis.map { (", beside Redis SET", $0) },
      budgets: [1: 1.0, 16: 1.5]
    ).measure(options, &report)
  }

  /// Saves of one row with each kind of history, each on disk before it is acknowledged.
  func saves() throws {
    var services: [Rates.Service] = []
    defer { for service in services { service.daemon.stop() } }
    for policy in HistoryPolicy.allCases.reversed() {
      let daemon = try Daemon(folder, name: "saves-\(policy.rawValue)")
      services.append((", history: \(policy.rawValue)", daemon))
      try Item.fill(daemon.connect(), 100_000, keeping: policy)
    }
    var rates = Rates(
      scenario: "saves",
      work: "save, insert of a row",
      connections: [1, 4, 16],
      services: services,
      operation: { number in
        let insertion = Item.insertion(Int(number)..<Int(number) + 1)
        return .save(
          SaveRequest(inserts: [
            SaveRequest.Insertion(
              entity: insertion.entity,
              columns: insertion.columns,
              rows: insertion.rows
            )
          ])
        )
      },
      postgres: postgres("pgbench insert", Peers.insertion),
      budgets: [1: 1.0, 16: 1.5]
    )
    try rates.measure(options, &report)
    rates.work = "save, update of 2 properties of a row"
    // Connections that change the same rows would wait for each other in PostgreSQL only.
    var updates: Int64 = 0
    rates.operation = { _ in
      updates += 1
      let (identifier, value) = (updates &* 7919 % 100_000 + 1, updates)
      var rows = RowBatch()
      rows.appendRow { row in
        row.append(identifier)
        row.append(value)
        row.append(Double(value) / 8)
      }
      return .save(
        SaveRequest(updates: [
          SaveRequest.Change(entity: "Item", columns: ["$id", "size", "score"], rows: rows)
        ])
      )
    }
    rates.postgres = postgres("pgbench update", Peers.update)
    try rates.measure(options, &report)
  }

  private func postgres(_ name: String, _ script: String) -> Rates.Peer? {
    guard peers.hasPostgres else { return nil }
    return (
      name, { [self] in try peers.postgresCalls(script, clients: $0, seconds: options.seconds) }
    )
  }

  private func redis(_ name: String, _ command: String, _ count: Int) -> Rates.Peer? {
    guard peers.hasRedis else { return nil }
    return (
      name, { [peers] in (try peers.redisCalls(["-t", command], clients: $0, count: count), nil) }
    )
  }
}
