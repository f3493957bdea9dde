internal import DepotProtocol
internal import DepotSQLite

/// The token of the last transaction in a snapshot.
enum SnapshotToken {
  /// Returns the token; `nil` if the history has none.
  static func read(
    on connection: Connection,
    store: String
  ) throws -> String? {
    guard let token = try connection.lastToken() else { return nil }
    let epochs = EpochChain(store: store, try EpochTable(connection: connection).all())
    return epochs.token(token).description
  }
}
