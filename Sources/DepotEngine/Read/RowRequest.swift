internal import DepotProtocol

/// A request about the rows of an entity that satisfy a predicate.
protocol RowRequest {
  var entity: String { get }
  var predicate: QueryExpression? { get }
  var includesSubentities: Bool { get }
}

extension FetchRequest: RowRequest {}
extension CountRequest: RowRequest {}
extension AggregateRequest: RowRequest {}

/// A request for rows with columns, and with others that come along.
protocol ColumnRequest {
  var select: [String]? { get }
  var prefetch: [String] { get }
  var namesColumns: Bool { get }
  var includesSubentityColumns: Bool { get }
}

extension GetRequest: ColumnRequest {}
extension FetchRequest: ColumnRequest {}
