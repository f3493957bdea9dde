/// The known changes of a query's row, or of a row at the end of one of its paths.
struct RowChangeSummary: Hashable, Sendable {
  /// The changed columns, as indexes among the root's stored columns.
  var columns = ColumnSet()
  /// The nodes of ``QueryDependencies`` with changes.
  var nodes = ColumnSet()
  /// Whether the row was inserted or deleted.
  var isWhole = false
  /// Whether its prefetched rows changed.
  var isPrefetched = false
  /// Whether another connection made some of the changes.
  var isForeign = false

  mutating func formUnion(_ other: RowChangeSummary) {
    columns.formUnion(other.columns)
    nodes.formUnion(other.nodes)
    isWhole = isWhole || other.isWhole
    isPrefetched = isPrefetched || other.isPrefetched
    isForeign = isForeign || other.isForeign
  }
}
