import DepotClient
import DepotProtocol
import Foundation

extension Scenarios {
  /// Many rows inserted, changed, and deleted, with each kind of history.
  func history() throws {
    let policies: [HistoryPolicy] = [.none, .names, .values]
    let works = [
      "insert \(options.rows) rows in one stream", "update \(options.rows) rows in one request",
      "delete \(options.rows) rows in one request",
    ]
    var times = policies.map { _ in works.map { _ in [Double]() } }
    var cpu = times
    // Not "all rows", which can be deleted without looking at them.
    let rows = RowSelection.predicate(
      .comparison(.greaterOrEqual, .attribute("score"), .value(.double(0)))
    )
    var values = RowBatch()
    values.appendRow { row in
      row.append(Int64(-1))
      row.append("another note")
    }
    let update = UpdateRequest(
      entity: "Item",
      rows: rows,
      columns: ["size", "note"],
      values: values
    )
    for round in 0..<options.rounds {
      for (index, policy) in policies.enumerated() {
        let daemon = try Daemon(folder, name: "history-\(policy.rawValue)-\(round)")
        defer { daemon.stop() }
        let connection = try daemon.connect()
        try connection.define(Item.schema(keeping: policy))
        let starts = Array(stride(from: 1, through: options.rows, by: 10_000))
        let insertions = starts.map { Item.insertion($0..<min($0 + 10_000, options.rows + 1)) }
        let bodies: [() throws -> Void] = [
          { try connection.insert(each: insertions) },
          { _ = try connection.update(update) },
          { _ = try connection.delete(DeleteRequest(entity: "Item", rows: rows)) },
        ]
        for (work, body) in bodies.enumerated() {
          let start = daemon.child.processorTime()
          times[index][work].append(try milliseconds(body))
          cpu[index][work].append((daemon.child.processorTime() - start))
        }
      }
    }
    for (work, name) in works.enumerated() {
      for (index, policy) in policies.enumerated() {
        let isReference = policy == .none
        report.add(
          "history",
          "\(name), history: \(policy.rawValue)",
          unit: "ms",
          times[index][work],
          reference: isReference ? nil : "history: none",
          isReference ? [] : times[0][work],
          cpu: cpu[index][work],
          referenceCPU: isReference ? [] : cpu[0][work]
        )
      }
    }
  }
}
