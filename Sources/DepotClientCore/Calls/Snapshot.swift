internal import DepotProtocol

/// A snapshot of a container, which a connection keeps for a while.
public struct Snapshot: Hashable, Sendable {
  /// The pin: the service's name of the snapshot.
  let pin: String
  /// The token of the snapshot's last transaction, if the store keeps a history.
  public let token: String?
  /// How long the snapshot is kept while nothing reads it.
  public let age: Duration

  init(_ node: JSONNode) throws(DepotError) {
    var reader = try JSONObjectReader(node)
    pin = try reader.string("pin")
    token = try reader.optionalString("token")
    age = .milliseconds(try reader.required("expiresMs").int64())
  }
}

extension DepotError {
  /// The error of a write in a snapshot.
  static let readOnlySnapshot = DepotError(.usage, "A snapshot can't be changed.")
    .hint("Write with the client that it was made from; the snapshot won't show it.")
}
