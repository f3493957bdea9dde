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

    func includes(_ name: String) -> Bool { only.isEmpty || only.contains(name) }
  }

  static func run(_ arguments: [String]) -> Int32 {
    do {
      if let status = try Helper.run(arguments) { return status }
      let options = try parse(arguments)
      try measure(options)
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
      guard let value = rest.popFirst() else { throw BenchError("\(name) needs a value") }
      switch name {
      case "--output": options.output = value
      case "--rounds": options.rounds = Int(value) ?? options.rounds
      case "--seconds": options.seconds = Double(value) ?? options.seconds
      case "--only": options.only = Set(value.split(separator: ",").map(String.init))
      default: throw BenchError("there is no option \(name)")
      }
    }
    return options
  }

  private static func measure(_ options: Options) throws {
    let folder = try TemporaryFolder()
    defer { folder.remove() }
    var report = Report(options: options)
    let peers = Peers(folder: folder)
    defer { peers.stop() }
    let scenarios: [(String, (Options, TemporaryFolder, Peers, inout Report) throws -> Void)] = [
      ("get", Scenarios.get),
      ("connections", Scenarios.connections),
      ("insert", Scenarios.durableInsert),
      ("fetch", Scenarios.fetch),
      ("bulk", Scenarios.bulkInsert),
      ("enumerate", Scenarios.enumerate),
      ("isolation", Scenarios.isolation),
      ("start", Scenarios.start),
      ("growth", Scenarios.growth),
      ("graph", Scenarios.graph),
    ]
    for (name, scenario) in scenarios where options.includes(name) {
      progress("measuring \(name)")
      try scenario(options, folder, peers, &report)
    }
    try report.write(to: options.output)
    print(report.markdown)
    print("\nWritten to \(options.output).md, .json, and .svg")
  }

  static func progress(_ text: String) {
    guard isatty(2) == 1 else { return }
    FileHandle.standardError.write(Data("\u{1B}[2K\r\(text)…".utf8))
  }
}

/// Why a benchmark can't go on.
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
