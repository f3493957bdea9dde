package import DepotProtocol

/// The parts of a request that determine the form of its rows.
@Memberwise
package struct RowReading: Sendable {
  /// Whether each row begins with its identifier and version.
  var hasIdentity: Bool = true
  /// The names of a row's values in order, if rows of relationships are prefetched; else `nil`.
  var prefetching: [String]?
}

extension RowReading {
  package init(_ operation: Operation) {
    switch operation {
    case .fetch(let request):
      hasIdentity = !request.isDistinct
      prefetching = request.prefetch.isEmpty ? nil : request.select ?? []
    case .aggregate: hasIdentity = false
    default: break
    }
  }
}

extension [UInt8] {
  /// Calls `body` with a reader at the beginning of each row.
  package func withRows(
    at offset: Int,
    _ reading: RowReading,
    _ body: (inout RowReader) throws -> Void
  ) throws {
    try RowFrame(bytes: self, offset: offset, columns: nil, reading: reading).forEachRow(body)
  }
}

extension DepotError {
  /// The error that a reply lacks the row that was asked for.
  package static var missingRow: DepotError {
    DepotError(.objectNotFound, "The service sent no row.")
  }
}
