internal import DepotLinux
internal import DepotProtocol
internal import DepotSQLite

/// A dry run of a migration, which reports its effects and its expected duration.
///
/// If rows may prevent the migration, or there are few, the whole migration is done and rolled
/// back, so that the report is exact. Otherwise only some rows of each table are migrated.
struct MigrationRehearsal {
  /// The number of rows of each table that are migrated to measure the time.
  static let sample = 1000
  /// The number of rows up to which all of them are migrated.
  static let smallStore = 10_000

  let plan: MigrationPlan
  let old: Catalog
  let connection: Connection
  let control: CallControl

  /// Returns the members for the result.
  func run() throws -> [String: JSONValue] {
    let counted = try CountedSteps(plan, old, on: connection)
    var members: [String: JSONValue] = [
      "problems": .array(plan.problems.map(JSONValue.string)),
      "destructive": .bool(plan.isDestructive),
      "steps": counted.json(plan.steps),
      "from": plan.old.version.map { .string($0.description) } ?? .null,
      "to": plan.new.version.map { .string($0.description) } ?? .null,
    ]
    guard plan.problems.isEmpty else { return members }
    let total = counted.total
    let isWhole = total <= Self.smallStore || plan.steps.contains(where: \.needsRowCheck)
    let (findings, milliseconds) = try attempt(limit: isWhole ? nil : Self.sample, total)
    members.merge(findings.json) { first, _ in first }
    members["milliseconds"] = .int64(Int64(milliseconds))
    members["rows"] = .int64(Int64(total))
    return members
  }

  private func attempt(
    limit: Int?,
    _ total: Int
  ) throws -> (MigrationFindings, milliseconds: Int) {
    let start = Monotonic.now()
    let run = try MigrationRun(
      from: old,
      to: plan.new,
      on: connection,
      control,
      options: .init(rowLimit: limit)
    )
    try run.run()
    let elapsed = Double(Monotonic.now() - start) / 1_000_000
    let share = limit == nil ? 1 : max(1, Double(total) / Double(max(1, run.rowsSeen)))
    return (run.findings, Int((elapsed * share).rounded(.up)))
  }
}
