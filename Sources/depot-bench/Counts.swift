import Foundation
import Synchronization

/// The instructions of calls and objects, compared with the figures in a file of the repository.
///
/// Times on machines with other work swing by half; instructions don't. Each figure is the difference of two
/// runs of different length under callgrind, so that the start and the end don't count.
enum Counts {
  /// By which share a figure may grow before that is a failure.
  private static let tolerance = 0.05

  /// Counts the named works, all if `names` is empty, and prints them beside the file's figures.
  ///
  /// If `keepsFigures` is `true`, the file gets the new figures, even if they have grown.
  ///
  /// - Throws: ``BenchError`` if a figure has grown.
  static func run(_ path: String, names: Set<String>, keepsFigures: Bool) throws {
    var table = try CountTable(path)
    for name in names where !table.rows.contains(where: { $0.name == name }) {
      throw BenchError("\(path) has no figure named \(name)")
    }
    var figures = try figures { names.isEmpty || names.contains($0) }
    // On a machine with other work a read may take longer than the service gives it at once.
    let suspects = Set(
      table.rows.filter { $0.growth(to: figures[$0.name]) > tolerance }.map(\.name)
    )
    if !suspects.isEmpty, !keepsFigures {
      figures.merge(try Self.figures(where: suspects.contains)) { min($0, $1) }
    }
    var grown: [String] = []
    print("| work | now | kept | change | budget |\n|---|--:|--:|--:|--:|")
    for index in table.rows.indices {
      let row = table.rows[index]
      guard let figure = figures[row.name] else {
        if names.isEmpty { throw BenchError("nothing is counted for \(row.name)") }
        continue
      }
      let growth = row.growth(to: figure)
      let percent = String(format: "%+.1f %%", growth * 100)
      if growth > tolerance { grown.append("\(row.name) \(percent)") }
      table.rows[index].instructions = figure
      let cells = [figure, row.instructions ?? 0].map(CountTable.text)
      print("| \(row.name) | \(cells.joined(separator: " | ")) | \(percent) | \(row.budget) |")
    }
    if keepsFigures { return try table.write() }
    guard grown.isEmpty else {
      throw BenchError(
        """
        more instructions than \(path) keeps: \(grown.joined(separator: ", "))
        If that is meant, run depot-bench --count \(path) --keep, and say why in the commit.
        """
      )
    }
  }

  /// Returns the instructions of each work, by its name.
  private static func figures(
    where isWanted: (String) -> Bool
  ) throws -> [String: Int] {
    let calls = CountedCall.all.filter { isWanted($0.name) }
    // An object's figure is the difference to the work before it.
    let last = CountedObjects.names.lastIndex(where: isWanted)
    let stages = last.map { Array(0...$0) } ?? []
    var runs: [@Sendable () throws -> Int] = []
    for call in calls {
      for count in [call.warmUp, call.warmUp + call.count] {
        runs.append { try CountedCall.instructions(call, count) }
      }
    }
    for stage in stages {
      for count in [CountedObjects.warmUp, CountedObjects.warmUp + CountedObjects.count] {
        runs.append { try CountedObjects.instructions(stages: stage + 1, count) }
      }
    }
    let totals = try all(runs)
    func difference(_ place: Int, by count: Int) -> Int {
      (totals[place * 2 + 1] - totals[place * 2]) / count
    }
    var result: [String: Int] = [:]
    for (place, call) in calls.enumerated() {
      result[call.name] = difference(place, by: call.count)
    }
    var before = 0
    for stage in stages {
      let sum = difference(calls.count + stage, by: CountedObjects.count)
      result[CountedObjects.names[stage]] = sum - before
      before = sum
    }
    return result
  }

  /// Runs as many works at once as there are cores, which doesn't change their counts.
  private static func all(_ runs: [@Sendable () throws -> Int]) throws -> [Int] {
    let results = Mutex<[Int: Result<Int, any Error>]>([:])
    DispatchQueue.concurrentPerform(iterations: runs.count) { index in
      let result = Result { try runs[index]() }
      let count = results.withLock {
        $0[index] = result
        return $0.count
      }
      Bench.progress("counting: \(count) of \(runs.count) runs")
    }
    return try results.withLock { results in try runs.indices.compactMap { try results[$0]?.get() }
    }
  }
}

/// The figures that a Markdown file of the repository keeps: a table of names, instructions, and budgets.
struct CountTable {
  struct Row {
    var name: String
    var instructions: Int?
    var budget: String

    /// Returns the growth of a figure as a share of the kept one; 0 if there is none.
    func growth(to figure: Int?) -> Double {
      guard let instructions, let figure else { return 0 }
      return Double(figure - instructions) / Double(instructions)
    }
  }

  var rows: [Row]
  private let path: String
  /// The text before the table's rows.
  private let head: String

  init(_ path: String) throws {
    self.path = path
    let text = try String(contentsOfFile: path, encoding: .utf8)
    let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
    guard let rule = lines.firstIndex(where: { $0.hasPrefix("|--") }) else {
      throw BenchError("\(path) has no table")
    }
    head = lines[...rule].joined(separator: "\n") + "\n"
    rows = lines[(rule + 1)...].filter { $0.hasPrefix("|") }.map { line in
      let cells = line.split(separator: "|").map { $0.trimmingCharacters(in: .whitespaces) }
      return Row(
        name: cells[0],
        instructions: Int(cells[1].filter(\.isNumber)),
        budget: cells.count > 2 ? cells[2] : ""
      )
    }
  }

  func write() throws {
    let lines = rows.map {
      "| \($0.name) | \($0.instructions.map(Self.text) ?? "") | \($0.budget) |\n"
    }
    try (head + lines.joined()).write(toFile: path, atomically: true, encoding: .utf8)
  }

  /// Returns a number with commas between thousands.
  static func text(_ number: Int) -> String {
    var result = ""
    for (place, digit) in String(number).reversed().enumerated() {
      if place > 0, place % 3 == 0, digit != "-" { result.append(",") }
      result.append(digit)
    }
    return String(result.reversed())
  }
}
