internal import DepotLinux
internal import DepotProtocol
internal import DepotSQLite

/// What a migration would do, and how long it would take.
///
/// If rows can be in the way, or there are few, all of it is done and undone, so that the answer is
/// exact. Otherwise so much is done with some rows of each table.
struct MigrationRehearsal {
  /// How many rows of each table are migrated to measure the time.
  static let sample = 1000
  /// Up to how many rows all are migrated.
  static let smallStore = 10_000

  private let plan: MigrationPlan
  private let old: Catalog
  private let connection: Connection
  private let control: CallControl

  init(
    _ plan: MigrationPlan,
    _ old: Catalog,
    on connection: Connection,
    _ control: CallControl
  ) {
    self.plan = plan
    self.old = old
    self.connection = connection
    self.control = control
  }

  /// - Returns: The members of the plan in the result.
  func run() throws -> [String: JSONValue] {
    var counts: [String: Int] = [:]
    for layout in old.allLayouts {
      let condition = layout.kindCondition(in: "t", includingDescendants: true)
      let filter = condition.map { " WHERE \($0)" } ?? ""
      let sql = "SELECT count(*) FROM \(layout.table) AS t\(filter)"
      counts[layout.name] = Int(try connection.integer(sql) ?? 0)
    }
    let mapping = MigrationMapping(from: plan.old, to: plan.new)
    var members: [String: JSONValue] = [
      "problems": .array(plan.problems.map(JSONValue.string)),
      "destructive": .bool(plan.isDestructive),
      "steps": .array(
        plan.steps.map { step in
          let entity = step.entity
          let origin = plan.old[entity]?.name ?? ""
          let name = step.isRemovedEntity ? origin : mapping.origin(of: entity)?.name ?? ""
          return .object([
            "description": .string(step.description), "destructive": .bool(step.isDestructive),
            "rows": .int64(Int64(step.changesRows ? counts[name] ?? 0 : 0)),
          ])
        }
      ),
      "from": plan.old.version.map { .string($0.description) } ?? .null,
      "to": plan.new.version.map { .string($0.description) } ?? .null,
    ]
    guard plan.problems.isEmpty else { return members }
    let total = old.tables.reduce(0) { $0 + (counts[$1.name] ?? 0) }
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
    defer { connection.forgetStatements() }
    let start = Monotonic.now()
    let run = try MigrationRun(
      from: old,
      to: plan.new,
      on: connection,
      control,
      options: MigrationRun.Options(rowLimit: limit)
    )
    try run.run()
    let elapsed = Double(Monotonic.now() - start) / 1_000_000
    let share = limit == nil ? 1 : max(1, Double(total) / Double(max(1, run.rowsSeen)))
    return (run.findings, Int((elapsed * share).rounded(.up)))
  }
}

extension SchemaChange {
  /// The entity that it is about, by its new name unless it is removed.
  fileprivate var entity: String {
    switch self {
    case .addedEntity(let entity), .removedEntity(let entity): entity.name
    case .renamedEntity(_, let name): name
    case .changedParent(let name, _, _), .changedAbstract(let name, _),
      .changedHashModifier(let name), .changedHistory(let name, _):
      name
    case .addedAttribute(_, let name, _), .removedAttribute(_, let name),
      .changedAttribute(_, _, let name, _), .addedRelationship(_, let name),
      .removedRelationship(_, let name), .changedRelationship(_, _, let name, _),
      .addedIndex(_, _, let name), .removedIndex(_, _, let name):
      name
    }
  }

  fileprivate var isRemovedEntity: Bool { if case .removedEntity = self { true } else { false } }

  /// Whether it is about what rows hold, rather than about names and rules.
  fileprivate var changesRows: Bool {
    switch self {
    case .addedEntity, .renamedEntity, .changedHashModifier, .changedHistory, .removedIndex: false
    case .changedAttribute(_, _, _, let aspect):
      switch aspect {
      case .name, .defaultValue, .preservation, .hashModifier, .optional: false
      case .validation(let isTighter): isTighter
      default: true
      }
    case .changedRelationship(_, _, _, let aspect):
      switch aspect {
      case .name, .deleteRule, .hashModifier: false
      case .counts(let isTighter): isTighter
      default: true
      }
    default: true
    }
  }
}
