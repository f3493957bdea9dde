internal import DepotProtocol
internal import DepotSQLite

/// The steps of a migration, with the number of rows that each one affects.
struct CountedSteps {
  private let plan: MigrationPlan
  private let mapping: MigrationMapping
  private let counts: [String: Int]
  /// The number of rows in the store.
  let total: Int

  /// Counts the rows of all entities.
  init(_ plan: MigrationPlan, _ old: Catalog, on connection: Connection) throws {
    self.plan = plan
    mapping = MigrationMapping(from: plan.old, to: plan.new)
    var counts: [String: Int] = [:]
    for layout in old.allLayouts {
      let condition = layout.kindCondition(in: "t", includingDescendants: true)
      let filter = condition.map { " WHERE \($0)" } ?? ""
      let sql = "SELECT count(*) FROM \(layout.table) AS t\(filter)"
      counts[layout.name] = Int(try connection.integer(sql) ?? 0)
    }
    self.counts = counts
    total = old.tables.reduce(0) { $0 + (counts[$1.name] ?? 0) }
  }

  /// Returns the number of rows that a step affects.
  func rows(_ step: SchemaChange) -> Int {
    guard step.changesRows else { return 0 }
    let entity = step.entity
    let origin = step.isRemovedEntity ? plan.old[entity] : mapping.origin(of: entity)
    return origin.flatMap { counts[$0.name] } ?? 0
  }

  /// A step for results and errors, with the number of rows that it affects.
  struct Step {
    let change: SchemaChange
    let rows: Int
  }

  func steps(_ changes: [SchemaChange]) -> [Step] {
    changes.map { Step(change: $0, rows: rows($0)) }
  }

  /// Returns steps as text.
  func sentence(_ steps: [SchemaChange]) -> String {
    steps.map { step in
      let rows = rows(step)
      return step.description + (rows > 0 ? " (\(rows) row\(rows == 1 ? "" : "s"))" : "")
    }.joined(separator: "; ")
  }
}

extension SchemaChange {
  /// The entity of the step: its new name, unless it is removed.
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

  /// Whether the step adds to the schema, even if it isn't possible.
  var isAddition: Bool {
    switch self {
    case .addedEntity, .addedAttribute, .addedRelationship: true
    default: false
    }
  }

  fileprivate var isRemovedEntity: Bool { if case .removedEntity = self { true } else { false } }

  /// Whether the step changes stored values, rather than names and rules.
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
