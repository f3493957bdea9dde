/// The changes of a transaction, made known once it is on disk.
package struct CommittedChanges: Sendable {
  /// The number of the transaction in the history; its ``HistoryToken`` has it as its sequence.
  package var token: Int64
  /// When it was, in seconds since 2001.
  package var at: Double
  package var author: String?
  /// The number of the connection that it came from.
  package var connection: Int64 = 0
  /// The changes of each table, by the name of its root entity.
  package var tables: [String: TableChanges] = [:]
  /// The changes of each join table, by its name, which begins with `j_` and isn't quoted.
  package var links: [String: LinkRows] = [:]
  /// Whether the schema changed; then nothing is known about rows.
  package var isSchemaChange = false
  /// All that the history has of the transaction; `nil` if it is large, or another service's.
  package var set: ChangeSet?
}

/// The changes of a transaction in one table.
package struct TableChanges: Sendable {
  /// How many rows are listed at most.
  package static let limit = 10_000

  /// Each row that changed, once; its state before the transaction compared with that after it.
  package var rows: [RowChange] = []
  /// Whether any row may have changed, in any way; then `rows` says nothing.
  package var isMany = false
  /// The columns whose values ``RowChange/keys`` have.
  package var keyPlaces = PlaceSet()
}

/// The change of one row by a transaction.
package struct RowChange: Hashable, Sendable {
  package enum Kind: Hashable, Sendable {
    case insert
    case update
    case delete
  }

  package var identifier: Int64
  package var kind: Kind
  /// ``EntityLayout/number`` of the row's own entity.
  package var entityNumber: Int
  /// The columns whose values an update changed, as places among the stored ones of the root's layout.
  ///
  /// It is empty if only the version grew. The place of an order is there if the row moved in an ordered
  /// relationship. A row that was deleted and inserted again is an update of all places.
  package var places = PlaceSet()
  /// The rows that an updated or deleted row led to before, by the places of their columns: those that
  /// changed of an update, all of a deletion.
  package var oldReferences: [Int: Int64] = [:]
  /// Values that the row had before or after, and perhaps meanwhile, of the columns that somebody asked for.
  package var keys: [RowKey] = []
}

/// The changes of a transaction in one join table.
package struct LinkRows: Sendable {
  /// The rows that were added, removed, or got another order.
  package var pairs: [(source: Int64, target: Int64)] = []
  /// Whether any row may have changed; then `pairs` says nothing.
  package var isMany = false
}

extension CommittedChanges {
  /// Notes that any row of a table may have changed.
  mutating func setMany(_ table: RecordedTable) {
    switch table.content {
    case .rows(let rows): tables[rows.layout.name] = TableChanges(isMany: true)
    case .links: links[table.name] = LinkRows(isMany: true)
    }
  }
}
