public import DepotClientCore
public import DepotProtocol
public import FoundationEssentials
public import FoundationInternationalization

extension FetchRequest {
  /// Describes the rows of a record's entity that satisfy a predicate.
  ///
  /// - Parameters:
  ///   - type: The record.
  ///   - predicate: The condition of the rows; all rows if `nil`.
  ///   - sort: The properties to sort by, the most important first.
  ///   - limit: How many rows to return at most.
  ///   - offset: How many rows to leave out at the beginning.
  ///   - prefetch: The relationships whose rows are prefetched, as in `\.country` and
  ///     `\.tags.every.owner`.
  /// - Throws: ``DepotError`` `request.predicate` if the service can't evaluate the predicate or
  ///   the order.
  public init<Model: Record>(
    _ type: Model.Type,
    where predicate: Predicate<Model>? = nil,
    sortBy sort: [SortDescriptor<Model>] = [],
    limit: Int? = nil,
    offset: Int = 0,
    prefetch: [any PartialKeyPath<Model> & Sendable] = []
  ) throws(DepotError) {
    self.init(entity: Model.entity, limit: limit, offset: offset)
    for keyPath in prefetch { self.prefetch.append(try Model.property(keyPath).path) }
    self.predicate = try QueryExpression(lowering: predicate)
    for descriptor in sort { self.sort.append(try SortKey(lowering: descriptor)) }
    select = Model.attributes.selection
    // Prefetched rows are known by the names of their columns only.
    namesColumns = !prefetch.isEmpty
  }
}
