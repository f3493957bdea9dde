import DepotLinux
import Foundation

/// The benchmark: its arguments, its order, and its reports.
///
/// It measures Depot beside its floor and its peers in one run, in interleaved rounds, and reports
/// medians and ratios. It fails on errors, never on times.
enum Bench {
  struct Options {
    var output = ".build/bench"
    var rounds = 5
    var seconds = 1.0
    var rows = 100_000
    var largeRows = 1_000_000
    var only: Set<String> = []
    /// The table of the instructions that are counted instead, and whether it gets the figures.
    var count: String?
    var keepsCounts = false

    /// The text of `--help`.
    static var help: String {
      """
      depot-bench: measures Depot beside its floor and its peers, in interleaved rounds.

        --only NAMES    only these scenarios, with commas between:
      \(scenarioLines)
        --quick         two short rounds, and fewer rows
        --rounds N      how many rounds (5)
        --seconds S     how long each load of a round lasts (1)
        --output PATH   where the reports go: PATH.md, PATH.json, and PATH.svg (.build/bench)
        --count FILE    instead of times, count instructions, and fail if one is more than 5 % above
                        the figure that a table of Markdown keeps (`make count`)
        --keep          with --count: write the figures into the table

      PostgreSQL and Redis are measured if they are installed (`make bench-peers`).
      The stores are made in the folder for temporary files: with TMPDIR=/dev/shm, in memory, so
      that what is measured isn't the disk.
      """
    }

    private static var scenarioLines: String {
      let names = Bench.scenarios.map { ($0.name + String(repeating: " ", count: 14)).prefix(14) }
      return zip(names, Bench.scenarios).map { "        \($0)  \($1.summary)" }
        .joined(separator: "\n")
    }

    func includes(_ name: String) -> Bool { only.isEmpty || only.contains(name) }
  }

  static func run(_ arguments: [String]) -> Int32 {
    do {
      if let status = try Helper.run(arguments) { return status }
      guard !arguments.contains("--help"), !arguments.contains("-h") else {
        print(Options.help)
        return 0
      }
      let options = try parse(arguments)
      if let table = options.count {
        try Counts.run(table, names: options.only, keepsFigures: options.keepsCounts)
      } else {
        for name in options.only where !scenarios.contains(where: { $0.name == name }) {
          throw BenchError("there is no scenario \(name); see --help")
        }
        try measure(options)
      }
      return 0
    } catch {
      FileHandle.standardError.write(Data("depot-bench: \(error)\n".utf8))
      return 1
    }
  }

  private static func parse(_ arguments: [String]) throws -> Options {
    var options = Options()
    var rest = arguments[...]
    while let name = rest.popFirst() {
      if name == "--quick" {
        options.rounds = 2
        options.seconds = 0.3
        options.largeRows = 200_000
        continue
      }
      if name == "--keep" {
        options.keepsCounts = true
        continue
      }
      guard let value = rest.popFirst() else { throw BenchError("\(name) needs a value") }
      switch name {
      case "--output": options.output = value
      case "--rounds": options.rounds = Int(value) ?? options.rounds
      case "--seconds": options.seconds = Double(value) ?? options.seconds
      case "--only":
        options.only = Set(value.split(separator: ",").map(String.init))
      case "--count": options.count = value
      default: throw BenchError("there is no option \(name)")
      }
    }
    return options
  }

  /// Something to measure, by its name for `--only`.
  private struct Scenario {
    var name: String
    var summary: String
    var measure: (Scenarios) -> () throws -> Void

    init(
      _ name: String,
      _ summary: String,
      _ measure: @escaping (Scenarios) -> () throws -> Void
    ) {
      self.name = name
      self.summary = summary
      self.measure = measure
    }
  }

  private static var scenarios: [Scenario] {
    [
      Scenario("get", "a get by one client, beside an echo", Scenarios.get),
      Scenario("connections", "gets by 1 to 64 connections, beside peers", Scenarios.connections),
      Scenario(
        "insert",
        "durable inserts by 1 to 64 connections, beside peers",
        Scenarios.durableInsert
      ),
      Scenario("saves", "saves by 1 to 16 connections, with each kind of history", Scenarios.saves),
      Scenario("notify", "commit to subscriber, beside LISTEN/NOTIFY", Scenarios.notify),
      Scenario(
        "subscriptions",
        "a commit's cost by the number of watched queries",
        Scenarios.subscriptions
      ),
      Scenario(
        "lateness",
        "how late watches hear beside many others and a writer",
        Scenarios.lateness
      ),
      Scenario("cluster", "a store in PostgreSQL, beside that by itself", Scenarios.cluster),
      Scenario("history", "many rows in a request, with each kind of history", Scenarios.history),
      Scenario("fetch", "100,000 rows, sorted, beside SQLite", Scenarios.fetch),
      Scenario("bulk", "100,000 rows inserted, beside SQLite", Scenarios.bulkInsert),
      Scenario("import", "a million rows of CSV, beside psql's \\copy", Scenarios.importFile),
      Scenario("enumerate", "a million rows: time and memory", Scenarios.enumerate),
      Scenario("isolation", "gets while a million rows are read", Scenarios.isolation),
      Scenario("fair", "short calls while other clients ask for much", Scenarios.fair),
      Scenario("start", "the command line and the service starting", Scenarios.start),
      Scenario("million", "a million rows updated and deleted, beside SQLite", Scenarios.million),
      Scenario("links", "rows with two links, beside rows without", Scenarios.links),
      Scenario("growth", "short calls of ten million rows, and by 1,000", Scenarios.growth),
      Scenario("models", "objects of SwiftData, beside SQLite", Scenarios.models),
      Scenario("main-actor", "the main actor while objects are fetched", Scenarios.mainActor),
      Scenario("graph", "questions about packages, beside SQL by hand", Scenarios.graph),
    ]
  }

  private static func measure(_ options: Options) throws {
    let folder = try TemporaryFolder()
    defer { folder.remove() }
    let all = Scenarios(options, in: folder)
    defer { all.peers.stop() }
    var failure: (any Error)?
    for scenario in scenarios where options.includes(scenario.name) && failure == nil {
      progress("measuring \(scenario.name)")
      do {
        try scenario.measure(all)()
      } catch {
        failure = error
      }
    }
    // The measurements before an error are kept.
    try all.report.write(to: options.output)
    print(all.report.markdown)
    print("\nWritten to \(options.output).md, .json, and .svg")
    if let failure { throw failure }
  }

  static func progress(_ text: String) {
    guard isatty(2) == 1 else { return }
    FileHandle.standardError.write(Data("\u{1B}[2K\r\(text)…".utf8))
  }
}

/// The reason why a benchmark can't continue.
struct BenchError: Error, CustomStringConvertible {
  let description: String

  init(_ description: String) {
    self.description = description
  }
}

/// A folder that is removed after the run.
final class TemporaryFolder {
  let path: String

  init() throws {
    path = NSTemporaryDirectory() + "depot-bench-\(UUID().uuidString.prefix(8))"
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    // The peers' own users must get in.
    try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: path)
  }

  func remove() { try? FileManager.default.removeItem(atPath: path) }

  func file(_ name: String) -> String { path + "/" + name }
}
