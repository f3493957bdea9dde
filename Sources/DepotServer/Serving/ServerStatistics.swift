internal import DepotProtocol

/// The counters of the server.
struct ServerStatistics {
  /// The calls of one operation.
  struct Calls {
    var count = 0
    var errors = 0
    var nanoseconds: UInt64 = 0
  }

  /// A call that took longer than the threshold.
  struct SlowCall {
    var operation: String
    var entity: String?
    var milliseconds: UInt64
    var connection: Int64
    var call: Int64
  }

  var connectionsTotal = 0
  var connectionsRefused = 0
  /// The calls that couldn't be read.
  var invalidCalls = 0
  /// The calls of each operation, by its ordinal.
  private var calls = [Calls](repeating: Calls(), count: Operation.names.count)
  private(set) var slow: [SlowCall] = []

  /// Counts a call that ended.
  mutating func note(_ operation: Int, nanoseconds: UInt64, isError: Bool) {
    calls[operation].count += 1
    calls[operation].nanoseconds += nanoseconds
    if isError { calls[operation].errors += 1 }
  }

  /// Keeps a slow call among the last 128.
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
      ])
    }
    if invalidCalls > 0 { members["invalid"] = .object(["count": .int64(Int64(invalidCalls))]) }
    return .object(members)
  }

  var slowJSON: JSONValue {
    .array(
      slow.map { call in
        .object([
          "op": .string(call.operation),
          "entity": call.entity.map(JSONValue.string) ?? .null,
          "ms": .int64(Int64(call.milliseconds)),
          "connection": .int64(call.connection),
          "id": .int64(call.call),
        ])
      }
    )
  }
}
