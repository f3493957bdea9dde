internal import DepotProtocol

/// Values of any size in watched records.
extension ServiceConnection {
  /// Returns the rows of a watch's frame that came without large values, as they are now.
  ///
  /// - Returns: The rows by their identifiers; `nil` if one isn't in the store any more, so that the watch
  ///   has to begin again after its last event.
  @Blocking
  @concurrent
  package func wholeRows<Content>(
    of frame: [UInt8],
    _ reader: LiveReader<Content>
  ) async throws -> [Int64: LiveRow<Content>]? where Self == Client {
    var rows: [Int64: LiveRow<Content>] = [:]
    guard let whole = reader.whole else { return rows }
    for identifier in try reader.incompleteRows(of: frame) {
      let row = try await self.wholeRow(identifier, whole, SharedDeadline(nil), reader.decode)
      guard let row else { return nil }
      rows[identifier] = LiveRow(
        identifier: identifier,
        version: row.version,
        content: row.content
      )
    }
    return rows
  }
}
