import DepotClient
import DepotLinux
import DepotProtocol
import Foundation

/// A row of an entity that the writer doesn't change, with the time at which it was sent.
struct Mark: Record {
  var at: Int64

  static let entity = "Mark"
  static let attributes: RecordAttributes<Mark> = [.init(\.at, "at")]

  init(at: Int64) { self.at = at }
  init(from row: inout RowReader) throws(DepotError) { at = try row.next() }
  func write(to row: inout RowWriter) { row.append(at) }
}

extension Scenarios {
  /// How many rows a commit changes, and how many commits there are in a second.
  private static let changes = 200
  private static let rate = 20

  /// Measures how late two watches get events, beside many watched counts.
  ///
  /// The writer's changes affect one of the watches and the counts, but not the other watch.
  func lateness() throws {
    let daemon = try Daemon(folder, name: "lateness")
    defer { daemon.stop() }
    let connection = try daemon.connect()
    var schema = Item.schema
    schema.entities.append(
      Entity(name: Mark.entity, attributes: [Attribute(name: "at", type: .int64)])
    )
    try connection.define(schema)
    try connection.insert(Item.insertion(1..<10_001))
    let counts = [10, 200, 1000]
    var late: [[[Lateness]]] = counts.map { _ in [[], []] }
    for round in 0..<options.rounds {
      for (place, count) in counts.enumerated() {
        let found = try lateness(connection, daemon, beside: count, round)
        for side in 0...1 { late[place][side].append(found[side]) }
      }
    }
    for (count, late) in zip(counts, late) {
      for (name, late) in zip(["an unconcerned", "a concerned"], late) {
        for (figure, path) in [("p50", \Lateness.p50), ("p99", \Lateness.p99)] {
          report.add(
            "lateness",
            "lateness of \(name) watch beside \(count) watches and a writer, \(figure)",
            unit: "µs",
            late.map { $0[keyPath: path] }
          )
        }
      }
    }
  }

  /// The latencies that a subscriber saw, in microseconds.
  private struct Lateness {
    var p50: Double
    var p99: Double
  }

  private func lateness(
    _ connection: BlockingConnection,
    _ daemon: Daemon,
    beside count: Int,
    _ round: Int
  ) throws -> [Lateness] {
    let heard = max(20, Int(options.seconds * Double(Self.rate)))
    let others = folder.file("late-\(round)-\(count)")
    let program = Child.programs + "/depot-bench"
    let crowd = try Child([program, "helper-count", daemon.socket.path, "\(count)", others])
    try wait(for: others)
    let listeners = try ["helper-marks", "helper-watch"].map { helper in
      let ready = folder.file("\(helper)-\(round)-\(count)")
      let child = try Child([program, helper, daemon.socket.path, "\(heard)", ready])
      try wait(for: ready)
      return child
    }
    for number in 0..<heard {
      let start = Monotonic.now()
      let first = Int64(number * Self.changes % 10_000)
      var values = RowBatch()
      values.appendRow { $0.append(Int64(number)) }
      try connection.update(
        UpdateRequest(
          entity: "Item",
          rows: .identifiers((1...Int64(Self.changes)).map { first + $0 }),
          columns: ["size"],
          values: values
        )
      )
      var item = Item(1)
      item.size = Int64(Monotonic.now())
      try connection.insert([item])
      try connection.insert([Mark(at: Int64(Monotonic.now()))])
      let rest = 1_000_000 / Self.rate - Int((Monotonic.now() - start) / 1000)
      if rest > 0 { usleep(UInt32(rest)) }
    }
    let found = try listeners.map { child in
      let numbers = try child.result().split(whereSeparator: \.isWhitespace)
        .compactMap { Double($0) }
      guard numbers.count == 2 else { throw BenchError("a subscriber printed \(numbers)") }
      return Lateness(p50: numbers[0], p99: numbers[1])
    }
    try FileManager.default.removeItem(atPath: others)
    _ = try crowd.result()
    return found
  }
}
