internal import DepotProtocol

/// A moment of a container that a connection keeps for a while.
public struct Snapshot: Hashable, Sendable {
  /// The name of the pin.
  let pin: String
  /// The token of the last transaction that the moment has, if the store keeps a history.
  public let token: String?
  /// How long the moment is kept, from when it was taken.
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
