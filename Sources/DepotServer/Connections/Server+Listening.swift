internal import DepotEngine
internal import DepotLinux
internal import DepotProtocol

/// The listening socket of a service.
extension Server {
  /// Claims the socket's path, unless the service manager listens already.
  static func claim(
    _ configuration: ServerConfiguration
  ) throws(DepotError) -> ListeningSocket.Claim? {
    if ListeningSocket.isFromServiceManager { return nil }
    return try explaining(configuration.socketPath) { () throws(ListeningSocket.Failure) in
      try ListeningSocket.Claim(path: configuration.socketPath)
    }
  }

  static func listen(
    _ configuration: ServerConfiguration,
    _ claim: ListeningSocket.Claim?
  ) throws(DepotError) -> ListeningSocket? {
    guard let claim else { return ListeningSocket.fromServiceManager() }
    return try explaining(configuration.socketPath) { () throws(ListeningSocket.Failure) in
      try ListeningSocket(claim, mode: mode(configuration.access))
    }
  }

  /// The permissions of the socket; all users can connect if the access is shared.
  static func mode(_ access: AccessPolicy) -> UInt32 { access.isShared ? 0o666 : 0o600 }

  /// Records beside the socket the served store, or that the service was stopped on purpose.
  ///
  /// Services inside a program aren't recorded, as they end with it; service managers keep their
  /// own records.
  func record(isStopped: Bool) {
    guard !isInProgram, let listener = acceptor.listener, listener.hasPath else { return }
    let record = ServiceRecord(store: configuration.storeName, isStopped: isStopped)
    do throws(SystemError) {
      try record.write(besideSocket: configuration.socketPath)
    } catch {
      log.write(.warning, "the store isn't noted beside the socket", [("error", .text("\(error)"))])
    }
  }

  /// Translates an error about a socket into the service's terms.
  static func explaining<Result>(
    _ path: String,
    _ body: () throws(ListeningSocket.Failure) -> Result
  ) throws(DepotError) -> Result {
    do throws(ListeningSocket.Failure) {
      return try body()
    } catch {
      switch error {
      case .pathTooLong(let bytes):
        throw DepotError(
          .usage,
          "The socket's path needs \(bytes) bytes; the limit is \(UnixSocket.longestPath)."
        )
        .hint("Use --socket or a shorter XDG_RUNTIME_DIR.")
      case .inUse(let process):
        let who = process.isEmpty ? "Another service" : "The service with process \(process)"
        throw DepotError(.busy, "\(who) already listens at \(path).")
          .hint(
            FileSystem.size(of: path) == nil && !process.isEmpty
              ? "Its socket isn't there: it begins, or ends, or the socket was removed. End it with: kill \(process)"
              : "Stop it with: depot --socket \(path) service stop"
          )
          .details(["socket": .string(path)])
      case .foreignFile:
        throw DepotError(.usage, "There is a file at \(path) that isn't a socket of yours.")
          .hint("Choose another path with --socket.")
      case .system(let error):
        throw DepotError(error, file: path)
      }
    }
  }
}
