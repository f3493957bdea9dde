import DepotClient
import DepotLinux
import DepotProtocol
import Foundation

/// The delay from a commit to its watchers, and the cost of watches to commits.
extension Scenarios {
  /// From before an insert is sent until another process knows of it.
  func notify() throws {
    let daemon = try Daemon(folder, name: "notify")
    defer { daemon.stop() }
    let connection = try daemon.connect()
    try Item.fill(connection, 1000)
    let postgres = peers.hasPostgres ? try PostgresConnection(folder: peers.postgresFolder) : nil
    try postgres?.prepare(Self.notifyingInsert)
    let count = max(100, Int(options.seconds * 1000))
    var depot: [Delays] = []
    var others: [Delays] = []
    for round in 0..<options.rounds {
      depot.append(
        try delays("helper-watch", daemon.socket.path, count, folder.file("watch-\(round)")) {
          try insert($0, on: connection)
        }
      )
      guard let postgres else { continue }
      others.append(
        try delays("helper-listen", peers.postgresFolder, count, folder.file("listen-\(round)")) {
          try postgres.execute([String($0)])
        }
      )
    }
    report.add("notify", "", depot, others, budget: 1)
  }

  /// The delays of inserts at one service until a subscriber knows of them at another.
  func clusterDelays(_ services: [Daemon]) throws {
    let connection = try services[0].connect()
    var depot: [Delays] = []
    var others: [Delays] = []
    let postgres = try PostgresConnection(folder: peers.postgresFolder)
    try postgres.prepare(Self.notifyingInsert)
    let count = max(100, Int(options.seconds * 1000))
    for round in 0..<options.rounds {
      let ready = folder.file("cluster-watch-\(round)")
      depot.append(
        try delays("helper-watch", services[1].socket.path, count, ready) {
          try insert($0, on: connection)
        }
      )
      let heard = folder.file("cluster-listen-\(round)")
      others.append(
        try delays("helper-listen", peers.postgresFolder, count, heard) {
          try postgres.execute([String($0)])
        }
      )
    }
    report.add("cluster", "store in PostgreSQL, two services: ", depot, others, budget: nil)
  }

  private func insert(_ time: UInt64, on connection: BlockingConnection) throws {
    var item = Item(1)
    item.size = Int64(time)
    var rows = RowBatch()
    rows.appendRow { item.write(to: &$0) }
    try connection.insert(InsertRequest(entity: "Item", columns: Item.columns, rows: rows))
  }

  private static let notifyingInsert = """
    WITH added AS (INSERT INTO item (name, section, size, score, essential, note)
    VALUES ('package-1', 'section-1', $1::bigint, 0.125, false, 'a short note about number 1'))
    SELECT pg_notify('items', $1::text)
    """
}

extension Report {
  fileprivate mutating func add(
    _ scenario: String,
    _ label: String,
    _ depot: [Delays],
    _ others: [Delays],
    budget: Double?
  ) {
    let figures: [(String, KeyPath<Delays, Double>, Double?)] = [
      ("commit to subscriber, p50", \.p50, budget), ("commit to subscriber, p99", \.p99, nil),
      ("the same insert until it is acknowledged, p50", \.acknowledged, nil),
    ]
    for (what, figure, budget) in figures {
      add(
        scenario,
        label + what,
        unit: "µs",
        depot.map { $0[keyPath: figure] },
        reference: "LISTEN/NOTIFY",
        others.map { $0[keyPath: figure] },
        budget: others.isEmpty ? nil : budget
      )
    }
  }
}

/// The times that a subscriber and a writer saw, in microseconds.
private struct Delays {
  var p50: Double
  var p99: Double
  var acknowledged: Double
}

extension Scenarios {
  /// Makes `count` commits a millisecond apart, and a helper gets notified of them.
  private func delays(
    _ helper: String,
    _ path: String,
    _ count: Int,
    _ ready: String,
    _ commit: (UInt64) throws -> Void
  ) throws -> Delays {
    let child = try Child([
      Child.programs + "/depot-bench", helper, path, String(count), ready,
    ])
    try wait(for: ready)
    var calls: [Double] = []
    for _ in 0..<count {
      let start = Monotonic.now()
      try commit(start)
      calls.append(Double(Monotonic.now() - start) / 1000)
      usleep(1000)
    }
    let output = try child.result()
    let numbers = output.split(whereSeparator: \.isWhitespace).compactMap { Double($0) }
    guard numbers.count == 2 else { throw BenchError("\(helper) printed \(output)") }
    return Delays(p50: numbers[0], p99: numbers[1], acknowledged: median(calls))
  }

  /// Waits for a file that says that a helper is ready.
  func wait(for file: String) throws {
    for _ in 0..<60_000 {
      if FileManager.default.fileExists(atPath: file) { return }
      usleep(1000)
    }
    throw BenchError("a helper wasn't ready within a minute")
  }

  /// Measures a commit while others watch queries that it concerns or doesn't.
  func subscriptions() throws {
    let daemon = try Daemon(folder, name: "subscriptions")
    defer { daemon.stop() }
    let connection = try daemon.connect()
    var schema = Item.schema
    schema.entities.append(
      Entity(name: "Other", attributes: [Attribute(name: "name", type: .string)])
    )
    try connection.define(schema)
    try connection.insert(Item.insertion(1..<10_001))
    var section = RowBatch()
    section.appendRow { $0.append(Subscription.changed) }
    try connection.update(
      UpdateRequest(
        entity: "Item",
        rows: .identifiers(Array(1...10)),
        columns: ["section"],
        values: section
      )
    )
    let counts = [0, 10, 100, 1000]
    var costs: [[[CommitCost]]] = Subscription.allCases.map { _ in counts.map { _ in [] } }
    for round in 0..<options.rounds {
      for (kind, subscription) in Subscription.allCases.enumerated() {
        for (place, count) in counts.enumerated() {
          let ready = folder.file("subscribe-\(round)-\(kind)-\(count)")
          let seconds = options.seconds / 2
          costs[kind][place].append(
            try commitCost(connection, daemon, subscription, count, seconds, ready)
          )
        }
      }
    }
    let measures: [(String, KeyPath<CommitCost, Double>)] = [
      ("commit", \.time), ("CPU of the writing thread per commit", \.writer),
    ]
    for (measure, path) in measures {
      var curve = Curve(
        title: "\(measure.first?.uppercased() ?? "")\(measure.dropFirst())",
        x: "subscriptions",
        y: "µs",
        lines: []
      )
      for (subscription, costs) in zip(Subscription.allCases, costs) {
        var points: [Curve.Point] = []
        for (count, costs) in zip(counts, costs) {
          points.append(Curve.Point(x: Double(count), y: median(costs.map { $0[keyPath: path] })))
        }
        curve.lines.append(Curve.Line(name: subscription.label, points: points))
        let nothing = costs[0].map { $0[keyPath: path] }
        for (count, costs) in zip(counts, costs).dropFirst() {
          report.add(
            "subscriptions",
            "\(measure), \(count) subscriptions \(subscription.label)",
            unit: "µs",
            costs.map { $0[keyPath: path] },
            reference: "no subscription",
            nothing,
            cpu: path == \.time ? costs.map(\.service) : [],
            budget: count == 1000 && subscription != .concerned ? 1.1 : nil
          )
        }
      }
      report.add(curve)
    }
  }

  /// The duration of a commit, in microseconds.
  private struct CommitCost {
    /// The median until it is acknowledged.
    var time: Double
    /// The processor time of the thread that writes.
    var writer: Double
    /// The processor time of the service.
    var service: Double
  }

  private func commitCost(
    _ connection: BlockingConnection,
    _ daemon: Daemon,
    _ subscription: Subscription,
    _ count: Int,
    _ seconds: Double,
    _ ready: String
  ) throws -> CommitCost {
    let child =
      count == 0
      ? nil
      : try Child([
        Child.programs + "/depot-bench", "helper-subscribe", daemon.socket.path,
        subscription.rawValue, String(count), ready,
      ])
    if child != nil { try wait(for: ready) }
    var times: [Double] = []
    let writer = daemon.child.processorTime(ofThreads: "depot-store")
    let service = daemon.child.processorTime()
    let end = Monotonic.now() + UInt64(seconds * 1e9)
    var number: Int64 = 0
    while Monotonic.now() < end {
      number += 1
      var values = RowBatch()
      values.appendRow { row in
        row.append("package-\(number)")
        row.append(number)
      }
      let request = UpdateRequest(
        entity: "Item",
        rows: .identifiers([number % 10 + 1]),
        columns: ["name", "size"],
        values: values
      )
      let start = Monotonic.now()
      try connection.update(request)
      times.append(Double(Monotonic.now() - start) / 1000)
    }
    let calls = Double(times.count)
    let cost = CommitCost(
      time: median(times),
      writer: (daemon.child.processorTime(ofThreads: "depot-store") - writer) / calls,
      service: (daemon.child.processorTime() - service) / calls
    )
    if let child {
      try FileManager.default.removeItem(atPath: ready)
      let changes = Int(try child.result().filter(\.isNumber)) ?? -1
      let isTold = subscription == .concerned
      guard isTold == (changes > 0), changes >= 0 else {
        throw BenchError("\(count) subscriptions \(subscription.label) got \(changes) changes")
      }
    }
    return cost
  }
}
