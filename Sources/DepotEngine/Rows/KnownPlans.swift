/// The plans of the columns that requests have named, so that the next one like them finds its own.
struct KnownPlans {
  /// How many plans are kept.
  private static let limit = 32

  private struct Key: Hashable {
    var names: [String]
    var use: Use
  }

  /// What the columns are of, as far as it decides what they may be.
  enum Use {
    /// Rows without identifiers.
    case values
    /// New rows, which may have temporary identifiers.
    case insertion
    /// Rows to change, with identifiers and versions.
    case change
  }

  private var plans: [Key: InputPlan] = [:]

  /// Returns the plan of some columns, which `columns` finds out if it isn't known.
  mutating func plan(
    _ names: [String],
    _ use: Use,
    columns: () throws -> [InputColumn]
  ) rethrows -> InputPlan {
    let key = Key(names: names, use: use)
    if let plan = plans[key] { return plan }
    let plan = InputPlan(try columns())
    if plans.count >= Self.limit { plans = [:] }
    plans[key] = plan
    return plan
  }
}
