import DepotClient
import DepotLinux
import DepotProtocol
import Foundation

extension Scenarios {
  /// A million rows in batches of the client's enumeration: time, and memory beyond idle in both
  /// processes.
  func enumerate() throws {
    let daemon = try Daemon(folder, name: "enumerate")
    defer { daemon.stop() }
    try Item.fill(daemon.connect(), options.largeRows)
    // A service that has just been started shows what idle is.
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

  /// How the cost of a get and of an indexed and a full count grows with the rows.
  func growth() throws {
    let daemon = try Daemon(folder, name: "growth")
    defer { daemon.stop() }
    let connection = try daemon.connect()
    try connection.define(Item.schema)
    var filled = 0
    for rows in [10_000, 100_000, options.largeRows] {
      while filled < rows {
        try connection.insert(Item.insertion(filled + 1..<filled + 10_001))
        filled += 10_000
      }
      let get = try Load.run(
        on: daemon,
        connections: 16,
        seconds: min(0.5, options.seconds)
      ) {
        .get(
          GetRequest(
            entity: "Item",
            identifiers: [$0 &* 7919 % Int64(rows) + 1],
            namesColumns: false
          )
        )
      }
      report.add("growth", "get, 16 connections, of \(rows) rows", unit: "/s", [get.callsPerSecond])
      let request = CountRequest(
        entity: "Item",
        predicate: .comparison(.greater, .attribute("size"), .value(.int64(500_000)))
      )
      var counts: [Double] = []
      for _ in 0..<3 { counts.append(try milliseconds { _ = try connection.count(request) }) }
      report.add("growth", "count by a scan of \(rows) rows", unit: "ms", counts)
    }
  }
}
