import DepotClient
import DepotSQLite
import Foundation

extension Scenarios {
  /// Objects of model classes: inserted and saved, fetched in order, changed, and deleted.
  static func models(
    _ options: Bench.Options,
    _ folder: TemporaryFolder,
    _ peers: Peers,
    _ report: inout Report
  ) throws {
    let works = ["insert and save", "fetch, sorted", "change and save", "delete and save"]
    for kind in ["flat", "related"] {
      for count in [1000, 10_000, options.rows] {
        var times = works.map { _ in [Double]() }
        var plain = times
        var memory: [Double] = []
        for round in 0..<min(3, options.rounds) {
          let name = "models-\(kind)-\(count)-\(round)"
          let daemon = try Daemon(folder, name: name)
          defer { daemon.stop() }
          let output = try Child(
            [
              "env", "DEPOT_SOCKET=\(daemon.socket.path)", Child.programs + "/depot-bench",
              "helper-models", folder.file(name + ".store"), kind, "\(count)",
            ]
          ).result()
          let numbers = output.split(separator: " ").compactMap {
            Double($0.trimmingCharacters(in: .whitespacesAndNewlines))
          }
          guard numbers.count == 5 else { throw BenchError("models printed \(output)") }
          for index in works.indices { times[index].append(numbers[index]) }
          memory.append(numbers[4] / 1024)
          if kind == "flat" {
            let reference = try PlainSQLite.work(folder.file(name + "-plain.sqlite"), count)
            for index in works.indices { plain[index].append(reference[index]) }
          }
        }
        for (index, work) in works.enumerated() {
          let hasBudget = kind == "flat" && count == 100_000 && index < 2
          report.add(
            "models",
            "\(count) \(kind) objects: \(work)",
            unit: "ms",
            times[index],
            reference: kind == "flat" ? "SQLite in process" : nil,
            kind == "flat" ? plain[index] : []
          )
          if hasBudget {
            report.add(
              "models",
              "\(count) \(kind) objects: \(work), against the budget",
              unit: "ms",
              times[index],
              budget: index == 0 ? 1500 : 500
            )
          }
        }
        report.add("models", "\(count) \(kind) objects: peak memory", unit: "MiB", memory)
      }
    }
  }
}

extension PlainSQLite {
  /// Inserts, reads in order, changes, and deletes items by hand; returns the milliseconds of each.
  static func work(_ path: String, _ count: Int) throws -> [Double] {
    let connection = try open(path)
    let items = (1...count).map { Item($0) }
    return [
      try Scenarios.milliseconds { try insert(connection, items) },
      try Scenarios.milliseconds { _ = try fetch(connection) },
      try Scenarios.milliseconds {
        try forEach(connection, "UPDATE item SET score = score + 1 WHERE id = ?1", count)
      },
      try Scenarios.milliseconds {
        try forEach(connection, "DELETE FROM item WHERE id = ?1", count)
      },
    ]
  }

  /// Runs a statement for each item in one transaction.
  private static func forEach(_ connection: Connection, _ sql: String, _ count: Int) throws {
    let statement = try connection.statement(sql)
    try connection.execute("BEGIN IMMEDIATE")
    for number in 1...count {
      try statement.bind(.integer(Int64(number)), at: 1)
      _ = try statement.step()
      statement.reset()
    }
    try connection.execute("COMMIT")
  }
}
