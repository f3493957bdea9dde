/// A cache of plans by the columns that requests name.
struct KnownPlans<Plan> {
  /// The most plans in the cache.
  private static var limit: Int { 32 }

  private struct Key: Hashable {
    var names: [String]
    var others: [String]?
    var use: Use
  }

  /// The use of the columns, which decides which ones are allowed.
  enum Use: Hashable {
    /// Rows without identifiers.
    case values
    /// New rows, which may have temporary identifiers.
    case insertion
    /// Rows to change, with identifiers and versions.
    case change
    /// New rows that may replace others.
    case replacement
  }

  private var plans: [Key: Plan] = [:]
  /// The last plan found, which most requests use again.
  private var last: (key: Key, plan: Plan)?

  /// Returns the cached plan for some columns, or adds the one that `make` makes.
  ///
  /// `others` are further columns that the plan depends on.
  mutating func plan(
    _ names: [String],
    beside others: [String]? = nil,
    _ use: Use,
    make: () throws -> Plan
  ) rethrows -> Plan {
    if let last, last.key.use == use, last.key.names == names, last.key.others == others {
      return last.plan
    }
    let key = Key(names: names, others: others, use: use)
    let plan: Plan
    if let known = plans[key] {
      plan = known
    } else {
      plan = try make()
      if plans.count >= Self.limit { plans = [:] }
      plans[key] = plan
    }
    last = (key, plan)
    return plan
  }
}
