internal import DepotProtocol
internal import DepotSQLite

/// Checks the rows of a closed store: their entities, references, and inverse references.
struct StoreCheck {
  /// The most problems of a kind that are reported for each table.
  private static let limit = 100

  private let connection: Connection
  private let entities: EntityWriters
  private(set) var problems: [String] = []

  init(_ catalog: Catalog, on connection: Connection) {
    self.connection = connection
    entities = EntityWriters(catalog, connection, ceilings: [:])
  }

  mutating func run() throws {
    for layout in entities.catalog.tables { try checkKinds(layout) }
    var seen: Set<String> = []
    for layout in entities.catalog.allLayouts {
      for link in try entities.links(of: layout) where link.layout.owner == layout.name {
        switch link.storage {
        case .column(let column): try check(link, column)
        case .foreign: break
        case .join(let table):
          if seen.insert(table.name).inserted { try check(link, table) }
        }
      }
    }
  }

  private mutating func checkKinds(_ layout: EntityLayout) throws {
    guard layout.kindPosition != nil else { return }
    let numbers = layout.numbers.keys.sorted().map(String.init).joined(separator: ", ")
    let kind = StorageMap.kindColumn
    try report("SELECT id, \(kind) FROM \(layout.table) WHERE \(kind) NOT IN (\(numbers))") {
      row,
      _ in "\(layout.name)/\(row) is of no entity."
    }
  }

  // MARK: To-one relationships

  private mutating func check(_ link: RelationshipLink, _ column: ReferenceColumn) throws {
    let source = column.root.table
    let inverse = try entities.inverse(of: link)
    // The delete rule "no action" allows references to rows that don't exist.
    if inverse?.relationship.deleteRule != .noAction {
      try report(
        """
        SELECT s.id, s.\(column.quoted) FROM \(source) AS s WHERE s.\(column.quoted) IS NOT NULL \
        AND NOT EXISTS (SELECT 1 FROM \(target(link, "s.\(column.quoted)")))
        """
      ) { "\(link.name) of \($0) leads to \(link.destination.name)/\($1), which doesn't exist." }
    }
    if column.isUnique {
      try report(
        """
        SELECT max(id), \(column.quoted) FROM \(source) WHERE \(column.quoted) IS NOT NULL \
        GROUP BY \(column.quoted) HAVING count(*) > 1
        """
      ) { "\(link.name) of \($0) and of another row lead to \(link.destination.name)/\($1)." }
    }
    if link.isSymmetric {
      try report(
        """
        SELECT s.id, s.\(column.quoted) FROM \(source) AS s JOIN \(source) AS t \
        ON t.id = s.\(column.quoted) WHERE t.\(column.quoted) IS NOT s.id
        """
      ) { "\(link.name) of \($0) leads to \(link.destination.name)/\($1), but not back." }
    }
    if let order = column.quotedOrder {
      try report(
        """
        SELECT id, \(column.quoted) FROM \(source) \
        WHERE (\(column.quoted) IS NULL) <> (\(order) IS NULL)
        """
      ) { row, _ in "\(link.name) of \(row) and its order don't agree." }
    }
  }

  /// The destination row of a link with an identifier, for `EXISTS`.
  private func target(_ link: RelationshipLink, _ identifier: String) -> String {
    let layout = link.destination
    return "\(layout.table) AS d WHERE d.id = \(identifier)\(layout.kindFilter(in: "d"))"
  }

  // MARK: Join tables

  private mutating func check(_ link: RelationshipLink, _ table: JoinTable) throws {
    try checkEnds(link, table)
    if link.isSymmetric {
      try report(
        """
        SELECT s.source, s.target FROM \(table.name) AS s WHERE NOT EXISTS \
        (SELECT 1 FROM \(table.name) AS t WHERE t.source = s.target AND t.target = s.source)
        """
      ) { "\(link.name) of \($0) leads to \(link.destination.name)/\($1), but not back." }
    }
  }

  private mutating func checkEnds(_ link: RelationshipLink, _ table: JoinTable) throws {
    let (near, far) = (link.side.column, link.side.other.column)
    let inverse = try entities.inverse(of: link)
    if inverse?.relationship.deleteRule != .noAction {
      try report(
        """
        SELECT s.\(near), s.\(far) FROM \(table.name) AS s \
        WHERE NOT EXISTS (SELECT 1 FROM \(target(link, "s.\(far)")))
        """
      ) { "\(link.name) of \($0) leads to \(link.destination.name)/\($1), which doesn't exist." }
    }
    guard inverse == nil || link.relationship.deleteRule != .noAction else { return }
    let owner = link.owner
    try report(
      """
      SELECT s.\(near), s.\(far) FROM \(table.name) AS s \
      WHERE NOT EXISTS (SELECT 1 FROM \(owner.table) AS d WHERE d.id = s.\(near)\(owner.kindFilter(in: "d")))
      """
    ) { "\(link.name) of \($0), which doesn't exist, leads to \(link.destination.name)/\($1)." }
  }

  /// Adds a problem for each row of a query that returns two identifiers.
  private mutating func report(
    _ sql: String,
    _ message: (_ row: Int64, _ target: Int64) -> String
  ) throws {
    let statement = try connection.statement(sql + " LIMIT \(Self.limit)")
    do {
      try statement.run { row in problems.append(message(row.integer(0), row.integer(1))) }
    } catch let error as SQLiteError {
      problems.append("The rows and references can't all be read: \(error.message).")
    }
  }
}
