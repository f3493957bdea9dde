import DepotClient
import DepotLinux
import DepotProtocol
import DepotSQLite
import Foundation

/// Work on many rows, its effect on short calls, and the start of programs.
extension Scenarios {
  /// A million rows in batches of the client's enumeration: time, and memory beyond idle in both
  /// processes.
  func enumerate() throws {
    let daemon = try Daemon(folder, name: "enumerate")
    defer { daemon.stop() }
    try Item.fill(daemon.connect(), options.largeRows)
    // A service that has just been started has the idle memory.
    daemon.stop()
    let fresh = try Daemon(folder, name: "enumerate")
    defer { fresh.stop() }
    var seconds: [Double] = []
    var service: [Double] = []
    var client: [Double] = []
    let idle = fresh.child.kibibytes("VmRSS")
    for _ in 0..<min(3, options.rounds) {
      fresh.child.resetPeak()
      var output = ""
      seconds.append(
        try milliseconds {
          output = try Child([
            Child.programs + "/depot-bench", "helper-enumerate", fresh.socket.path,
          ]).result()
        } / 1000
      )
      let numbers = output.split(separator: " ").compactMap { Double($0) }
      guard numbers.first == Double(options.largeRows) else {
        throw BenchError("enumerated \(output)")
      }
      client.append(numbers[1] / 1024)
      service.append(Double(fresh.child.kibibytes("VmHWM") - idle) / 1024)
    }
    let what = "enumerate \(options.largeRows) rows"
    report.add("enumerate", what, unit: "s", seconds)
    report.add("enumerate", what + ": memory of the service", unit: "MiB", service, budget: 32)
    report.add("enumerate", what + ": memory of the client", unit: "MiB", client, budget: 32)
  }

  /// The slowest gets while another client reads a million rows.
  func isolation() throws {
    let daemon = try Daemon(folder, name: "isolation")
    defer { daemon.stop() }
    try Item.fill(daemon.connect(), options.largeRows)
    var busy: [Double] = []
    var idle: [Double] = []
    for _ in 0..<options.rounds {
      idle.append(try gets(daemon).p99)
      let reader = try Child([
        Child.programs + "/depot-bench", "helper-enumerate", daemon.socket.path,
      ])
      busy.append(try gets(daemon).p99)
      _ = try reader.result()
    }
    report.add(
      "isolation",
      "p99 of get while a million rows are read",
      unit: "µs",
      busy,
      reference: "p99 when idle",
      idle,
      budget: 3
    )
  }

  private func gets(_ daemon: Daemon) throws -> Load.Result {
    try Load.run(on: daemon, connections: 1, seconds: min(0.5, options.seconds)) {
      .get(GetRequest(entity: "Item", identifiers: [$0 % 1000 + 1], namesColumns: false))
    }
  }

  /// Starting: of the command line program, and of the service.
  func start() throws {
    let name = "start"
    var daemon = try Daemon(folder, name: name)
    defer { daemon.stop() }
    try Item.fill(daemon.connect(), 10_000)
    let command = [Child.programs + "/depot", "--socket", daemon.socket.path, "get", "Item/42"]
    var cli: [Double] = []
    var nothing: [Double] = []
    for _ in 0..<options.rounds * 4 {
      cli.append(try milliseconds { _ = try Child(command).result() })
      nothing.append(try milliseconds { _ = try Child(["true"]).result() })
    }
    report.add(
      "start",
      "CLI, one get, more than `true` takes",
      unit: "ms",
      [median(cli) - median(nothing)],
      budget: 8
    )
    var first: [Double] = []
    var memory: [Double] = []
    for _ in 0..<options.rounds {
      daemon.stop()
      first.append(try milliseconds { daemon = try Daemon(folder, name: name) })
      usleep(300_000)
      memory.append(Double(daemon.child.kibibytes("VmRSS")) / 1024)
    }
    report.add("start", "service, start to first answer", unit: "ms", first, budget: 30)
    report.add("start", "service, idle memory", unit: "MiB", memory, budget: 12)
  }

  /// Every row updated, then deleted, in one call each with history, beside SQLite's own statements.
  func million() throws {
    var times: (update: [Double], delete: [Double]) = ([], [])
    var plain = times
    for round in 0..<min(2, options.rounds) {
      let daemon = try Daemon(folder, name: "million-\(round)")
      defer { daemon.stop() }
      let connection = try daemon.connect()
      try Item.fill(connection, options.largeRows)
      var values = RowBatch()
      values.appendRow { $0.append(1.5) }
      let update = UpdateRequest(
        entity: "Item",
        rows: .predicate(.and([])),
        columns: ["score"],
        values: values
      )
      times.update.append(try milliseconds { try connection.update(update) } / 1000)
      let delete = DeleteRequest(entity: "Item", rows: .predicate(.and([])))
      times.delete.append(try milliseconds { try connection.delete(delete) } / 1000)
      let sqlite = try PlainSQLite.open(folder.file("million-\(round)-plain.sqlite"))
      for start in stride(from: 1, to: options.largeRows, by: 100_000) {
        try PlainSQLite.insert(sqlite, (start..<start + 100_000).map { Item($0) })
      }
      plain.update.append(
        try milliseconds { try sqlite.execute("UPDATE item SET score = 1.5") } / 1000
      )
      // With a condition, since SQLite empties a table without looking at its rows.
      plain.delete.append(
        try milliseconds { try sqlite.execute("DELETE FROM item WHERE size >= 0") } / 1000
      )
    }
    for (work, times, plain) in [
      ("update", times.update, plain.update), ("delete", times.delete, plain.delete),
    ] {
      report.add(
        "million",
        "\(work) \(options.largeRows) rows in one call",
        unit: "s",
        times,
        reference: "SQLite's own statement",
        plain,
        budget: 4
      )
    }
  }

  /// Rows with two links each, beside the same rows without: inserted by calls, and imported.
  func links() throws {
    var schema = Schema(entities: [
      Entity(name: "Place", attributes: [Attribute(name: "name", type: .string)])
    ])
    for (name, links) in [("Plain", []), ("Linked", ["from", "to"])] {
      schema.entities.append(
        Entity(
          name: name,
          attributes: [
            Attribute(name: "name", type: .string), Attribute(name: "size", type: .int64),
          ],
          relationships: links.map { Relationship(name: $0, destination: "Place") }
        )
      )
    }
    // Links in no order, to a tenth as many places as there are rows.
    let places = options.rows / 10
    func place(_ number: Int, _ step: Int) -> Int64 { Int64(number &* step % places + 1) }
    var plain: (insert: [Double], imported: [Double]) = ([], [])
    var linked = plain
    let files = (plain: folder.file("plain.ndjson"), linked: folder.file("linked.ndjson"))
    let lines = (1...options.rows).map { "{\"name\":\"row-\($0)\",\"size\":\($0)" }
    try lines.map { $0 + "}\n" }.joined()
      .write(toFile: files.plain, atomically: true, encoding: .utf8)
    try lines.enumerated().map { number, line in
      "\(line),\"from\":\(place(number, 7919)),\"to\":\(place(number, 104_729))}\n"
    }.joined().write(toFile: files.linked, atomically: true, encoding: .utf8)
    for round in 0..<options.rounds {
      let daemon = try Daemon(folder, name: "links-\(round)")
      defer { daemon.stop() }
      let connection = try daemon.connect()
      try connection.define(schema)
      func insert(_ entity: String, _ columns: [String], _ count: Int) throws {
        let starts = stride(from: 0, to: count, by: 10_000)
        try connection.insert(
          each: starts.lazy.map { start in
            var rows = RowBatch()
            for number in start..<min(start + 10_000, count) {
              rows.appendRow { row in
                row.append("row-\(number)")
                if columns.count > 1 { row.append(Int64(number)) }
                guard columns.count > 2 else { return }
                row.append(place(number, 7919))
                row.append(place(number, 104_729))
              }
            }
            return InsertRequest(entity: entity, columns: columns, rows: rows)
          }
        )
      }
      try insert("Place", ["name"], places)
      plain.insert.append(try milliseconds { try insert("Plain", ["name", "size"], options.rows) })
      linked.insert.append(
        try milliseconds { try insert("Linked", ["name", "size", "from", "to"], options.rows) }
      )
      let command = [Child.programs + "/depot", "--socket", daemon.socket.path, "import"]
      plain.imported.append(
        try milliseconds { _ = try Child(command + ["Plain", files.plain]).result() }
      )
      linked.imported.append(
        try milliseconds { _ = try Child(command + ["Linked", files.linked]).result() }
      )
    }
    for (work, linked, plain) in [
      ("insert", linked.insert, plain.insert), ("import", linked.imported, plain.imported),
    ] {
      report.add(
        "links",
        "\(work) \(options.rows) rows with two links",
        unit: "ms",
        linked,
        reference: "rows without",
        plain,
        budget: 2
      )
    }
    report.add(
      "links",
      "import of rows without links",
      unit: "rows/s",
      plain.imported.map { Double(options.rows) / $0 * 1000 },
      isRate: true,
      budget: 100_000
    )
  }
}
