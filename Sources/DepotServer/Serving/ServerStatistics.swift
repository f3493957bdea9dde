internal import DepotEngine
internal import DepotProtocol

/// The counters of the server.
struct ServerStatistics {
  /// The calls of one operation.
  struct Calls {
    var count = 0
    var errors = 0
    var nanoseconds: UInt64 = 0
    /// The calls by duration: bucket i has durations from 4^(i-1) to 4^i microseconds.
    ///
    /// The last bucket also counts all longer ones.
    var histogram = InlineArray<14, Int>(repeating: 0)

    /// Counts a call with its duration.
    mutating func add(_ nanoseconds: UInt64) {
      count += 1
      self.nanoseconds += nanoseconds
      let bits = UInt64.bitWidth - (nanoseconds / 1000).leadingZeroBitCount
      histogram[min((bits + 1) / 2, histogram.count - 1)] += 1
    }
  }

  /// A call longer than the threshold.
  struct SlowCall {
    let operation: String
    let entity: String?
    let milliseconds: UInt64
    let connection: Int64
    let call: Int64
    let process: Int32
    /// The plan of its read, if it was one.
    let report: SlowReadReport?
    /// The number of rows that it scanned; `nil` if the scan took negligible time.
    let scannedRows: Int?

    /// The facts for the log.
    var fields: [(String, ServerLog.Value)] {
      var fields: [(String, ServerLog.Value)] = [("op", .text(operation))]
      if let entity { fields.append(("entity", .text(entity))) }
      fields += [
        ("ms", .number(milliseconds)), ("connection", .number(connection)), ("id", .number(call)),
        ("pid", .number(process)),
      ]
      if let predicate = report?.predicate { fields.append(("where", .text(predicate))) }
      if let report { fields.append(("scan", report.isFullScan ? "full" : "none")) }
      if let scannedRows { fields.append(("scanned", .number(scannedRows))) }
      if let advice = report?.advice { fields.append(("advice", .text(advice))) }
      return fields
    }

    /// The facts for `stats`.
    fileprivate var json: JSONValue {
      .object([
        "op": .string(operation),
        "entity": entity.map(JSONValue.string) ?? .null,
        "ms": .int64(Int64(milliseconds)),
        "connection": .int64(connection),
        "id": .int64(call),
        "where": report?.predicate.map(JSONValue.string) ?? .null,
        "fullScan": report.map { .bool($0.isFullScan) } ?? .null,
        "scanned": scannedRows.map { .int64(Int64($0)) } ?? .null,
        "advice": report?.advice.map(JSONValue.string) ?? .null,
      ])
    }
  }

  var connectionsTotal = 0
  var connectionsRefused = 0
  /// The calls that were unreadable.
  var invalidCalls = 0
  /// The calls of each operation, by its ordinal.
  private var calls = [Calls](repeating: Calls(), count: Operation.names.count)
  private(set) var slow: [SlowCall] = []

  /// Counts a call that ended.
  mutating func note(_ operation: Int, nanoseconds: UInt64, isError: Bool) {
    calls[operation].add(nanoseconds)
    if isError { calls[operation].errors += 1 }
  }

  /// Adds a slow call to the last 128.
  mutating func note(_ call: SlowCall) {
    if slow.count == 128 { slow.removeFirst() }
    slow.append(call)
  }

  var callsJSON: JSONValue {
    var members: [String: JSONValue] = [:]
    for (name, calls) in zip(Operation.names, calls) where calls.count > 0 {
      members[name] = .object([
        "count": .int64(Int64(calls.count)), "errors": .int64(Int64(calls.errors)),
        "seconds": .double(Double(calls.nanoseconds) / 1e9),
        "microseconds": .array(
          calls.histogram.indices.map { .int64(Int64(calls.histogram[$0])) }
        ),
      ])
    }
    if invalidCalls > 0 { members["invalid"] = .object(["count": .int64(Int64(invalidCalls))]) }
    return .object(members)
  }

  var slowJSON: JSONValue { .array(slow.map(\.json)) }
}
