internal import DepotProtocol

/// A request for rows with selected columns and prefetched relationships.
protocol ColumnRequest {
  var select: [String]? { get }
  var prefetch: [String] { get }
  var namesColumns: Bool { get }
  var includesSubentityColumns: Bool { get }
}

extension GetRequest: ColumnRequest {}
extension FetchRequest: ColumnRequest {}
