internal import DepotProtocol

/// A request for rows with columns, and with others that come along.
protocol ColumnRequest {
  var select: [String]? { get }
  var prefetch: [String] { get }
  var namesColumns: Bool { get }
  var includesSubentityColumns: Bool { get }
}

extension GetRequest: ColumnRequest {}
extension FetchRequest: ColumnRequest {}
