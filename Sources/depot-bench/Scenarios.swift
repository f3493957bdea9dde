import DepotClient
import DepotLinux
import DepotProtocol
import Foundation

/// The measurements, each a method, and their shared state.
final class Scenarios {
  let options: Bench.Options
  let folder: TemporaryFolder
  let peers: Peers
  var report: Report

  init(_ options: Bench.Options, in folder: TemporaryFolder) {
    self.options = options
    self.folder = folder
    peers = Peers(folder: folder)
    report = Report(options: options)
  }

  /// One client gets rows by identifier; the floor is an echo of equal frames.
  func get() throws {
    for (name, pin) in [("both on one core", 0 as Int?), ("unpinned", nil)] {
      let label = "get-\(pin == nil ? "free" : "pinned")"
      let daemon = try Daemon(folder, name: label, pin: pin)
      defer { daemon.stop() }
      try Item.fill(daemon.connect(), 100_000)
      var depot: [Double] = []
      var floor: [Double] = []
      for round in 0..<options.rounds {
        let path = folder.file("echo-\(label)-\(round).sock")
        let echo = try Child([Child.programs + "/depot-bench", "helper-echo", path], pin: pin)
        defer { echo.stop() }
        while (try? FileManager.default.attributesOfItem(atPath: path)) == nil { usleep(1000) }
        floor.append(
          try figure("helper-ping-pong", path, "20000", "\(Helper.requestSize)", pin: pin)
        )
        depot.append(try figure("helper-get", daemon.socket.path, "20000", "100000", pin: pin))
      }
      report.add(
        "get",
        "get by identifier, 1 client, p50, \(name)",
        unit: "µs",
        depot,
        reference: "echo of equal frames",
        floor,
        budget: 1.5
      )
    }
  }

  private func figure(_ arguments: String..., pin: Int?) throws -> Double {
    let output = try Child([Child.programs + "/depot-bench"] + arguments, pin: pin).result()
    guard let value = Double(output.trimmingCharacters(in: .whitespacesAndNewlines)) else {
      throw BenchError("\(arguments) printed \(output)")
    }
    return value
  }

  /// All rows, sorted, into typed values.
  func fetch() throws {
    let daemon = try Daemon(folder, name: "fetch")
    defer { daemon.stop() }
    let connection = try daemon.connect()
    try Item.fill(connection, options.rows)
    let plain = try PlainSQLite.open(folder.file("fetch-plain.sqlite"))
    try PlainSQLite.insert(plain, (1...options.rows).map { Item($0) })
    let request = FetchRequest(
      entity: "Item",
      sort: [SortKey("size")],
      select: Item.columns,
      namesColumns: false
    )
    var depot: [Double] = []
    var sqlite: [Double] = []
    for round in 0..<options.rounds + 1 {
      var items: [Item] = []
      let fetched = try milliseconds {
        items.reserveCapacity(options.rows)
        try connection.fetch(request) { items.append(try Item(from: &$0)) }
      }
      let read = try milliseconds {
        let same = try PlainSQLite.fetch(plain)
        guard same.count == items.count, same.last?.name == items.last?.name else {
          throw BenchError("the rows differ")
        }
      }
      // The first round warms up both.
      if round > 0 {
        depot.append(fetched)
        sqlite.append(read)
      }
    }
    report.add(
      "fetch",
      "fetch \(options.rows) rows of 6 columns, sorted",
      unit: "ms",
      depot,
      reference: "SQLite in process",
      sqlite,
      budget: 2
    )
  }

  /// Many rows in one stream of requests.
  func bulkInsert() throws {
    var depot: [Double] = []
    var sqlite: [Double] = []
    let items = (1...options.rows).map { Item($0) }
    for round in 0..<options.rounds {
      let daemon = try Daemon(folder, name: "bulk-\(round)")
      defer { daemon.stop() }
      let connection = try daemon.connect()
      try connection.define(Item.schema)
      depot.append(
        try milliseconds {
          let starts = stride(from: 0, to: items.count, by: 10_000)
          try connection.insert(
            each: starts.lazy.map { start in
              var rows = RowBatch()
              for item in items[start..<min(start + 10_000, items.count)] {
                rows.appendRow { item.write(to: &$0) }
              }
              return InsertRequest(entity: "Item", columns: Item.columns, rows: rows)
            }
          )
        }
      )
      let plain = try PlainSQLite.open(folder.file("bulk-\(round)-plain.sqlite"))
      sqlite.append(try milliseconds { try PlainSQLite.insert(plain, items) })
    }
    report.add(
      "bulk",
      "insert \(options.rows) rows of 6 columns",
      unit: "ms",
      depot,
      reference: "SQLite in process, one transaction",
      sqlite,
      budget: 2
    )
  }
}

/// Returns how long a body takes.
func milliseconds(_ body: () throws -> Void) rethrows -> Double {
  let start = Monotonic.now()
  try body()
  return Double(Monotonic.now() - start) / 1e6
}
