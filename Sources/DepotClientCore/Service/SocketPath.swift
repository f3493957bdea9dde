package import DepotLinux
package import DepotProtocol

/// Where a service's socket is.
@Memberwise("path")
public struct SocketPath: Hashable, Sendable {
  public var path: String

  /// The socket that programs use by default.
  ///
  /// It is `$DEPOT_SOCKET`, or `depot/depot.sock` in `$XDG_RUNTIME_DIR`, or
  /// `/tmp/depot-UID/depot.sock`.
  public static var `default`: SocketPath { SocketPath(ServicePaths.socket) }

  /// Whether this is the default socket, and no other one was named.
  var isUnnamed: Bool {
    Process.environment("DEPOT_SOCKET") == nil && path == ServicePaths.ownSocket
  }

  /// The command line that starts a service here.
  package var startCommand: String {
    self == .default ? "depot service start" : "depot --socket \(path) service start"
  }

  /// Connects, and checks that the service runs as this user or root.
  ///
  /// - Throws: ``DepotError`` `unavailable.service` if no service answers, `permission.peer` if it may
  ///   not be used, `request.usage` if the path is too long.
  func connect() throws(DepotError) -> Descriptor {
    try connect { () throws(DepotError) in try connectRetrying() }
  }

  /// Connects as the other function, and never waits, also not to send and to read.
  ///
  /// - Throws: ``DepotError`` `unavailable.service` also if the service's queue is full.
  package func connectAtOnce() throws(DepotError) -> Descriptor {
    try connect { () throws(DepotError) in
      do throws(SystemError) {
        return try UnixSocket.connect(path: path, waits: false)
      } catch {
        throw Self.failure(error, path)
      }
    }
  }

  private func connect(
    _ body: () throws(DepotError) -> Descriptor
  ) throws(DepotError) -> Descriptor {
    // Where somebody has named a socket, others may serve; who it is, is looked at in any case.
    if isUnnamed, Process.user != 0 {
      try DepotError.refuseDistrust(folderOf: path, besides: named)
    }
    let descriptor = try body()
    do throws(SystemError) {
      let peer = try UnixSocket.peer(of: descriptor)
      let isTrusted = [0, Process.user].contains(peer.user) || Process.user == 0
      guard isTrusted || named.contains(peer.user) else {
        throw SystemError(call: "peer", code: 1)
      }
    } catch {
      throw DepotError(.peer, "The service at \(path) belongs to another user.")
        .hint("Set DEPOT_ALLOW_UID to that user's number if you trust it.")
    }
    return descriptor
  }

  /// The user whose service may be used beside this user's own and root's.
  private var named: Set<UInt32> {
    Set([Process.environment("DEPOT_ALLOW_UID").flatMap { UInt32($0) }].compactMap(\.self))
  }

  /// Connects again while the service ends before its welcome, for example because it was killed.
  static func persevering<Result>(
    _ connect: () throws(DepotError) -> Result
  ) throws(DepotError) -> Result {
    var attempt: UInt32 = 0
    while true {
      do throws(DepotError) {
        return try connect()
      } catch {
        guard error.code == .disconnected, attempt < 30 else { throw error }
        attempt += 1
        Process.sleep(milliseconds: attempt)
      }
    }
  }

  /// Tries again for a second while the service's queue is full.
  private func connectRetrying() throws(DepotError) -> Descriptor {
    var attempt: UInt32 = 0
    while true {
      do throws(SystemError) {
        return try UnixSocket.connect(path: path)
      } catch {
        guard error.isQueueFull, attempt < 45 else { throw Self.failure(error, path) }
        attempt += 1
        Process.sleep(milliseconds: attempt)
      }
    }
  }

  private static func failure(_ error: SystemError, _ path: String) -> DepotError {
    if error.isNameTooLong {
      return DepotError(
        .usage,
        "The socket's path has \(path.utf8.count) bytes; the limit is \(UnixSocket.longestPath)."
      ).hint("Choose a shorter one with --socket, DEPOT_SOCKET, or XDG_RUNTIME_DIR.")
    }
    if error.isPermission {
      return DepotError(.peer, "You may not use the socket \(path).")
    }
    return DepotError(.noService, "No service answers at \(path) (\(error)).")
      .hint("Start one with: \(SocketPath(path).startCommand)")
  }
}

extension DepotError {
  /// Refuses to use the folder of a file that isn't as safe as this user's own.
  ///
  /// - Parameters:
  ///   - path: The socket, or a store's file.
  ///   - users: Further users who may own the folder.
  /// - Throws: ``DepotError`` `permission.file`.
  package static func refuseDistrust(
    folderOf path: String,
    besides users: Set<UInt32> = []
  ) throws(DepotError) {
    guard let distrust = FileSystem.distrust(folderOf: path, besides: users) else { return }
    throw DepotError(.filePermission, distrust.message).hint(distrust.hint)
  }
}
