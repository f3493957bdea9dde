internal import DepotLinux
internal import DepotProtocol
internal import DepotSQLite

/// The effects of a migration, found by a dry run.
struct MigrationReport {
  let plan: MigrationPlan
  let steps: [CountedSteps.Step]
  /// The rows that prevent it, its expected duration, and the number of rows in the store.
  ///
  /// It is `nil` if the plan has problems.
  var attempt: (findings: MigrationFindings, milliseconds: Int, rows: Int)?
}

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

  func run() throws -> MigrationReport {
    let counted = try CountedSteps(plan, old, on: connection)
    var report = MigrationReport(plan: plan, steps: counted.steps(plan.steps))
    guard plan.problems.isEmpty else { return report }
    let total = counted.total
    let isWhole = total <= Self.smallStore || plan.steps.contains(where: \.needsRowCheck)
    let (findings, milliseconds) = try attempt(limit: isWhole ? nil : Self.sample, total)
    report.attempt = (findings, milliseconds, total)
    return report
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
