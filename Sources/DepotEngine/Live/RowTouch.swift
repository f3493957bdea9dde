/// The knowledge of how a row of a query, or a row that one of its paths leads to, was changed.
struct RowTouch: Hashable, Sendable {
  /// The columns that changed, as places among the stored ones of the root's layout.
  var places = PlaceSet()
  /// The nodes of ``QueryDependencies`` through which something changed.
  var nodes = PlaceSet()
  /// Whether the row was inserted or deleted.
  var isWhole = false
  /// Whether rows that come along with it changed.
  var isPrefetched = false
  /// Whether another connection did some of it.
  var isForeign = false

  mutating func formUnion(_ other: RowTouch) {
    places.formUnion(other.places)
    nodes.formUnion(other.nodes)
    isWhole = isWhole || other.isWhole
    isPrefetched = isPrefetched || other.isPrefetched
    isForeign = isForeign || other.isForeign
  }
}
