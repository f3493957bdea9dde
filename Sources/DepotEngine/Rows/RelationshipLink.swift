internal import DepotProtocol
internal import DepotSQLite

/// A relationship in the form for the writer: its storage and its inverse.
@Memberwise("layout")
final class RelationshipLink {
  let layout: RelationshipLayout
  /// The entity that declares it.
  let owner: EntityLayout
  let destination: EntityLayout
  let storage: Storage
  /// The side of a join table for the owner's rows.
  let side: JoinTable.Side
  /// The inverse relationship, after its first use; the owner of this one keeps it alive.
  unowned var inverse: RelationshipLink?
  /// The destinations known to exist, and the session that checked them.
  var known: Set<Int64> = []
  var knownSession: UInt64 = 0

  enum Storage {
    /// The owner's rows have the destination's identifier.
    case column(ReferenceColumn)
    /// The destination's rows have the owner's identifier.
    case foreign(ReferenceColumn)
    case join(JoinTable)
  }

  var relationship: Relationship { layout.relationship }
  /// The name for messages.
  var name: String { "\(layout.owner).\(layout.name)" }
  var isToMany: Bool { relationship.isToMany }
  /// Whether it is its own inverse, so that (a, b) exists if and only if (b, a) does.
  var isSymmetric: Bool { layout.isSelfInverse }
  /// Whether a row must have a destination.
  var isRequired: Bool { !isToMany && !relationship.isOptional }
  /// Whether a row's number of destinations must be checked at the end of the request.
  var isLimited: Bool { relationship.isLimited }
  /// Whether a row without destinations breaks the rules.
  var needsTargets: Bool { isToMany ? relationship.minCount > 0 : isRequired }
}

extension Relationship {
  /// Whether the number of destinations is restricted.
  var isLimited: Bool { isToMany ? minCount > 0 || maxCount > 0 : !isOptional }
}

/// The column with the identifier of a to-one relationship's destination.
struct ReferenceColumn {
  /// The layout of the root entity, with all columns of the table.
  var root: EntityLayout
  /// The index among the stored columns of ``root``.
  var index: Int
  /// The index of the column with the row's order among the rows with the same destination.
  var orderIndex: Int?
  /// Whether no two rows may have the same destination.
  var isUnique: Bool

  var quoted: String { root.stored[index].quoted }
  var quotedOrder: String? { orderIndex.map { root.stored[$0].quoted } }
}

extension Connection {
  /// Returns the identifiers of rows whose column is `target`, in their order.
  func rows(
    with column: ReferenceColumn,
    _ target: Int64
  ) throws -> [(identifier: Int64, order: Int64)] {
    let order = column.quotedOrder ?? "0"
    let terms = column.quotedOrder.map { "\($0), id" } ?? "id"
    let statement = try statement(
      "SELECT id, \(order) FROM \(column.root.table) WHERE \(column.quoted) = ?1 ORDER BY \(terms)"
    )
    return try statement.rows([.integer(target)]) { ($0.integer(0), $0.integer(1)) }
  }

  /// Returns the identifier in a row's reference column.
  func target(of identifier: Int64, in column: ReferenceColumn) throws -> Int64? {
    try integer(
      "SELECT \(column.quoted) FROM \(column.root.table) WHERE id = ?1",
      [.integer(identifier)]
    )
  }

  /// Returns the greatest order of the rows whose column is `target`.
  func lastOrder(in column: ReferenceColumn, of target: Int64) throws -> Int64? {
    guard let order = column.quotedOrder else { return nil }
    return try integer(
      "SELECT max(\(order)) FROM \(column.root.table) WHERE \(column.quoted) = ?1",
      [.integer(target)]
    )
  }
}
