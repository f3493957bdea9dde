internal import DepotProtocol

extension StoreQuery {
  /// Returns the request for some columns of what the query describes.
  ///
  /// The columns are named if other rows come along.
  func request(select: [String]?, includesSubentityColumns: Bool = false) -> FetchRequest {
    FetchRequest(
      entity: description.name,
      predicate: predicate,
      includesSubentities: includesSubentities,
      sort: sort,
      limit: limit,
      offset: offset,
      select: select,
      includesSubentityColumns: includesSubentityColumns,
      prefetch: prefetch,
      namesColumns: !prefetch.isEmpty
    )
  }
}
