/// The known changes of a query's row, or of a row at the end of one of its paths.
struct RowTouch: Hashable, Sendable {
  /// The changed columns, as indexes among the root's stored columns.
  var places = PlaceSet()
  /// The nodes of ``QueryDependencies`` with changes.
  var nodes = PlaceSet()
  /// Whether the row was inserted or deleted.
  var isWhole = false
  /// Whether its prefetched rows changed.
  var isPrefetched = false
  /// Whether another connection made some of the changes.
  var isForeign = false

  mutating func formUnion(_ other: RowTouch) {
    places.formUnion(other.places)
    nodes.formUnion(other.nodes)
    isWhole = isWhole || other.isWhole
    isPrefetched = isPrefetched || other.isPrefetched
    isForeign = isForeign || other.isForeign
  }
}
