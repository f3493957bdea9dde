internal import DepotProtocol
internal import FoundationEssentials

extension RowConflict {
  /// The conflict in the form of replies and errors.
  var json: JSONValue {
    var conflict = facts
    conflict.base = base.mapValues(\.json)
    conflict.store = store.mapValues(\.json)
    conflict.client = client.mapValues(\.json)
    return conflict.json
  }

  /// The size in bytes of the conflict in a reply.
  var textByteCount: Int { json.text.utf8.count }
}

extension ConflictValue {
  fileprivate var json: JSONValue {
    let text: [UInt8] =
      switch self {
      case .text(let text): Array(text)
      case .stored(let value): JSONWriter.bytes { value.write(.number, to: &$0) }
      case .length(let count): Array("{\"$length\":\(count)}".utf8)
      }
    return (try? JSONValue(parsing: text)) ?? .null
  }

  /// Whether both values are the same for clients.
  func isSame(as other: ConflictValue) -> Bool { json == other.json }
}

extension DepotError {
  /// Returns the error with the conflicts that caused it.
  func detail(conflicts: [RowConflict]) -> DepotError {
    detail("conflicts", json: .array(conflicts.map(\.json)))
  }
}

extension JSONWriter {
  mutating func add(_ result: SchemaResult, _ report: MigrationReport?) {
    var result = result
    result.plans = report.map { [$0.json] } ?? []
    for (name, value) in result.members.sorted(by: { $0.key < $1.key }) {
      self.name(name)
      write(value)
    }
  }

  mutating func add(_ result: MigrationCopy.Result) {
    member("changes", result.changes)
    member("from", version: result.from)
    member("problems", result.problems)
    member("to", version: result.to)
  }

  mutating func member(_ name: StaticString, version: SchemaVersion?) {
    member(name)
    write(JSONValue(version))
  }
}

extension JSONValue {
  fileprivate init(_ version: SchemaVersion?) {
    self = version.map { .string($0.description) } ?? .null
  }
}

extension MigrationReport {
  fileprivate var json: JSONValue {
    var members: [String: JSONValue] = [
      "problems": .array(plan.problems.map(JSONValue.string)),
      "destructive": .bool(plan.isDestructive), "steps": .array(steps.map(\.json)),
      "from": JSONValue(plan.old.version), "to": JSONValue(plan.new.version),
    ]
    guard let attempt else { return .object(members) }
    let findings = attempt.findings
    let lists = DepotError(.rowsInTheWay, "").detail(violations: findings.violations)
      .detail(duplicates: findings.duplicates)
    members.merge(lists.details?.object ?? [:]) { $1 }
    members["milliseconds"] = .int64(Int64(attempt.milliseconds))
    members["rows"] = .int64(Int64(attempt.rows))
    return .object(members)
  }
}

extension CountedSteps.Step {
  fileprivate var json: JSONValue {
    .object([
      "description": .string(change.description), "destructive": .bool(change.isDestructive),
      "rows": .int64(Int64(rows)),
    ])
  }
}

extension MigrationFindings.Duplicate {
  fileprivate var json: JSONValue {
    .object([
      "entity": .string(entity), "attributes": .array(paths.map(JSONValue.string)),
      "values": .array(values.map(JSONValue.init(wire:))),
      "ids": .array(identifiers.map(JSONValue.int64)), "count": .int64(Int64(count)),
    ])
  }
}

extension DepotError {
  /// Returns the error with the steps of a migration.
  func detail(steps: [CountedSteps.Step]) -> DepotError {
    detail("steps", json: .array(steps.map(\.json)))
  }

  /// Returns the error with rows that have the same values, where values must be unique.
  func detail(duplicates: [MigrationFindings.Duplicate]) -> DepotError {
    detail("duplicates", json: .array(duplicates.map(\.json)))
  }
}

extension JSONValue {
  /// The form for clients of a time in seconds since 2001.
  init(date seconds: Double) {
    self.init(wire: .date(Date(timeIntervalSinceReferenceDate: seconds)))
  }

  /// The form for clients of a value.
  init(wire value: Value) {
    var writer = JSONWriter()
    writer.write(value)
    self = (try? JSONValue(parsing: writer.bytes)) ?? .null
  }
}
