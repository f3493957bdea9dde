internal import DepotProtocol
internal import DepotSQLite

/// A relationship as the writer needs it: its storage and its inverse.
@Memberwise("layout")
final class Link {
  let layout: RelationshipLayout
  /// The entity that declares it.
  let owner: EntityLayout
  let destination: EntityLayout
  let storage: Storage
  /// The side of a join table that the owner's rows are on.
  let side: JoinTable.Side
  /// The inverse relationship, once it was looked up; the owner of this one keeps it alive.
  unowned var inverse: Link?
  /// The targets that are known to exist, and the session that asked for them.
  var known: Set<Int64> = []
  var knownSession: UInt64 = 0

  enum Storage {
    /// The owner's rows hold the identifier.
    case column(ReferenceColumn)
    /// The destination's rows hold it.
    case foreign(ReferenceColumn)
    case join(JoinTable)
  }

  var relationship: Relationship { layout.relationship }
  /// The name for people.
  var name: String { "\(layout.owner).\(layout.name)" }
  var isToMany: Bool { relationship.isToMany }
  /// Whether (a, b) is there if and only if (b, a) is.
  var isSymmetric: Bool { layout.isSelfInverse }
  /// Whether a row must lead to another.
  var isRequired: Bool { !isToMany && !relationship.isOptional }
  /// Whether a row's number of targets has to be looked at when the request is done.
  var isLimited: Bool { relationship.isLimited }
  /// Whether a row breaks the rules that has no targets.
  var needsTargets: Bool { isToMany ? relationship.minCount > 0 : isRequired }
}

extension Relationship {
  /// Whether a row that leads to any number of others may break the rules.
  var isLimited: Bool { isToMany ? minCount > 0 || maxCount > 0 : !isOptional }
}

/// The column that holds the identifier of a to-one relationship's target.
struct ReferenceColumn {
  /// The layout of the root entity, which has all columns of the table.
  var root: EntityLayout
  /// The place among the stored columns of ``root``.
  var place: Int
  /// The place of the column with the row's order among those with the same target.
  var orderPlace: Int?
  /// Whether no two rows may have the same target.
  var isUnique: Bool

  var quoted: String { root.stored[place].quoted }
  var quotedOrder: String? { orderPlace.map { root.stored[$0].quoted } }
}

extension Connection {
  /// Returns the identifiers of rows whose column holds `target`, in their order.
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

  /// Returns the greatest order of the rows whose column holds `target`.
  func lastOrder(in column: ReferenceColumn, of target: Int64) throws -> Int64? {
    guard let order = column.quotedOrder else { return nil }
    return try integer(
      "SELECT max(\(order)) FROM \(column.root.table) WHERE \(column.quoted) = ?1",
      [.integer(target)]
    )
  }
}
