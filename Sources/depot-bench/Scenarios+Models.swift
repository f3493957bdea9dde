import DepotClient
import DepotSQLite
import Foundation

/// The SwiftData layer's work with objects, beside SQLite by hand.
extension Scenarios {
  /// Objects of model classes: inserted and saved, fetched in order, changed, and deleted.
  func models() throws {
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
          let file = folder.file(name + "-plain.sqlite")
          let reference =
            try kind == "flat" ? PlainSQLite.work(file, count) : PlainSQLite.related(file, count)
          for index in works.indices { plain[index].append(reference[index]) }
        }
        for (index, work) in works.enumerated() {
          let hasBudget = kind == "flat" && count == 100_000 && index < 2
          report.add(
            "models",
            "\(count) \(kind) objects: \(work)",
            unit: "ms",
            times[index],
            reference: "SQLite in process",
            plain[index]
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

extension Scenarios {
  /// How long the main actor has to wait while objects are fetched, beside its usual waits.
  func mainActor() throws {
    let daemon = try Daemon(folder, name: "main-actor")
    defer { daemon.stop() }
    var gaps = MainActorWork.works.map { _ in [Double]() }
    for round in 0..<(3 * options.rounds) {
      let output = try Child(
        [
          "env", "DEPOT_SOCKET=\(daemon.socket.path)", Child.programs + "/depot-bench",
          "helper-main-actor", folder.file("main-actor-\(round).store"), "\(options.rows)",
        ]
      ).result()
      let numbers = output.split(whereSeparator: \.isWhitespace).compactMap { Double($0) }
      guard numbers.count == gaps.count else { throw BenchError("main-actor printed \(output)") }
      for (index, number) in numbers.enumerated() { gaps[index].append(number) }
    }
    for (index, work) in MainActorWork.works.enumerated() {
      report.add(
        "main-actor",
        "longest gap of the main actor: \(index < 2 ? work : "\(work), \(options.rows) objects")",
        unit: "ms",
        gaps[index],
        budget: index == 2 ? 5 : nil
      )
    }
  }
}

extension PlainSQLite {
  /// Inserts, reads in order, changes, and deletes items by hand; returns the milliseconds of each.
  static func work(_ path: String, _ count: Int) throws -> [Double] {
    let connection = try open(path)
    let items = (1...count).map { Item($0) }
    return [
      try milliseconds { try insert(connection, items) },
      try milliseconds { _ = try fetch(connection) },
      try milliseconds {
        try forEach(connection, "UPDATE item SET score = score + 1 WHERE id = ?1", count)
      },
      try milliseconds {
        try forEach(connection, "DELETE FROM item WHERE id = ?1", count)
      },
    ]
  }

  /// Inserts owners with ten parts each, reads the parts in the owners' order, changes, and deletes them
  /// by hand; returns the milliseconds of each.
  static func related(_ path: String, _ count: Int) throws -> [Double] {
    let connection = try open(path)
    try connection.execute("CREATE TABLE owner (id INTEGER PRIMARY KEY, name TEXT) STRICT")
    try connection.execute(
      """
      CREATE TABLE part (id INTEGER PRIMARY KEY, name TEXT, size INTEGER,
      owner INTEGER REFERENCES owner (id)) STRICT
      """
    )
    try connection.execute("CREATE INDEX part_owner ON part (owner)")
    let owners = max(1, count / 10)
    return [
      try milliseconds {
        let owner = try connection.statement("INSERT INTO owner (id, name) VALUES (?1, ?2)")
        let part = try connection.statement(
          "INSERT INTO part (name, size, owner) VALUES (?1, ?2, ?3)"
        )
        try connection.execute("BEGIN IMMEDIATE")
        for number in 1...owners {
          try run(owner, [.integer(Int64(number)), .text("owner-\(number)")])
          for index in 0..<10 {
            let size = Int64(number * 10 + index)
            try run(part, [.text("part-\(size)"), .integer(size), .integer(Int64(number))])
          }
        }
        try connection.execute("COMMIT")
      },
      try milliseconds {
        let statement = try connection.statement(
          "SELECT owner.name, part.name, part.size FROM owner JOIN part ON part.owner = owner.id"
            + " ORDER BY owner.name, part.id"
        )
        defer { statement.reset() }
        var sum: Int64 = 0
        var names: [String] = []
        while try statement.step() {
          names.append(statement.row.text(1))
          sum += statement.row.integer(2)
        }
        guard names.count == owners * 10, sum > 0 else { throw BenchError("parts are missing") }
      },
      try milliseconds {
        try forEach(connection, "UPDATE part SET size = size + 1 WHERE id = ?1", owners * 10)
      },
      try milliseconds {
        try forEach(connection, "DELETE FROM part WHERE owner = ?1", owners)
        try forEach(connection, "DELETE FROM owner WHERE id = ?1", owners)
      },
    ]
  }

  private static func run(_ statement: Statement, _ values: [SQLiteValue]) throws {
    for (index, value) in values.enumerated() { try statement.bind(value, at: index + 1) }
    _ = try statement.step()
    statement.reset()
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
