/// The changes of a committed transaction, for watchers.
package struct CommittedChanges: Sendable {
  /// The number of the transaction in the history; its ``HistoryToken`` has it as its sequence.
  package var token: Int64
  /// The time of the commit, in seconds since 2001.
  package var at: Double
  package var author: String?
  /// The number of the request's connection.
  package var connection: Int64 = 0
  /// The changes of each table, by the name of its root entity.
  package var tables: [String: TableChanges] = [:]
  /// The changes of each join table, by its unquoted name, which begins with `j_`.
  package var links: [String: LinkRows] = [:]
  /// Whether the schema changed; then the changes of rows are unknown.
  package var isSchemaChange = false
  /// The complete changes for the history; `nil` if they are large, or another service's.
  package var set: ChangeSet?
}

/// The changes of a transaction in one table.
package struct TableChanges: Sendable {
  /// The most rows in the list.
  package static let limit = 10_000

  /// Each changed row once, with its total change by the transaction.
  package var rows: [RowChange] = []
  /// Whether any row may have changed in any way; then `rows` must be ignored.
  package var isMany = false
  /// The columns with values in ``RowChange/keys``.
  package var keyColumns = ColumnSet()
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
  /// The indexes of the columns whose values an update changed, among the root's stored columns.
  ///
  /// It is empty if only the version was increased. It includes the index of an order if the row
  /// was moved in an ordered relationship. A row that was deleted and inserted again is an update
  /// of all columns.
  package var columns = ColumnSet()
  /// The previous destinations of an updated or deleted row, by column index.
  ///
  /// For an update, it has only the changed ones; for a deletion, all.
  package var oldReferences: [Int: Int64] = [:]
  /// The values of the needed columns before and after, and perhaps in between.
  package var keys: [RowKey] = []
}

/// The changes of a transaction in one join table.
package struct LinkRows: Sendable {
  /// The links that were added, removed, or reordered.
  package var pairs: [(source: Int64, target: Int64)] = []
  /// Whether any link may have changed; then `pairs` must be ignored.
  package var isMany = false
}

extension CommittedChanges {
  /// Sets that any row of a table may have changed.
  mutating func setMany(_ table: RecordedTable) {
    switch table.content {
    case .rows(let rows): tables[rows.layout.name] = TableChanges(isMany: true)
    case .links: links[table.name] = LinkRows(isMany: true)
    }
  }
}
