internal import DepotProtocol

/// What the server counts.
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
  private(set) var calls: [String: Calls] = [:]
  private(set) var slow: [SlowCall] = []

  /// Counts a call that ended.
  mutating func note(_ operation: String, nanoseconds: UInt64, isError: Bool) {
    calls[operation, default: Calls()].count += 1
    calls[operation, default: Calls()].nanoseconds += nanoseconds
    if isError { calls[operation, default: Calls()].errors += 1 }
  }

  /// Keeps a slow call among the last 128.
  mutating func note(_ call: SlowCall) {
    if slow.count == 128 { slow.removeFirst() }
    slow.append(call)
  }

  var callsJSON: JSONValue {
    .object(
      calls.mapValues { calls in
        .object([
          "count": .int64(Int64(calls.count)), "errors": .int64(Int64(calls.errors)),
          "seconds": .double(Double(calls.nanoseconds) / 1e9),
        ])
      }
    )
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
