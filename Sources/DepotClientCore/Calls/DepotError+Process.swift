internal import DepotProtocol

extension DepotError {
  /// The error that a connection can't be used in a process that was forked from the one that made it.
  static let otherProcess = DepotError(
    .disconnected,
    "The connection belongs to the process that this one was forked from."
  ).hint("Connect in this process.")
}
