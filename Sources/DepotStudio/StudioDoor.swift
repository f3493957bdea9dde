package import DepotLinux
package import DepotProtocol

/// A socket through which the user's other commands get a new address of a running studio's page.
///
/// It is beside the service's socket, or in the user's own folder if that can't be written. Only
/// its user may connect.
package struct StudioDoor {
  private let listening: ListeningSocket

  /// The descriptor that can be read when a command has connected.
  package var descriptor: Descriptor { listening.descriptor }

  /// Listens at the socket of the studio for a service.
  ///
  /// - Returns: `nil` if no socket can be made, so that no other command finds the studio.
  /// - Throws: ``DepotError`` `unavailable.busy` if the service already has a studio.
  package init?(for socket: String) throws(DepotError) {
    for path in Self.paths(for: socket) {
      do throws(ListeningSocket.Failure) {
        listening = try ListeningSocket(ListeningSocket.Claim(path: path), mode: 0o600)
        return
      } catch {
        if case .inUse(let process) = error {
          let which = process.isEmpty ? "" : " (process \(process))"
          throw DepotError(.busy, "Depot Studio runs already\(which).")
        }
      }
    }
    return nil
  }

  /// Answers all waiting commands.
  package func answer(_ text: () -> String) {
    while let connection = try? UnixSocket.accept(from: descriptor) {
      guard let peer = try? UnixSocket.peer(of: connection),
        [0, Process.user].contains(peer.user)
      else { continue }
      // It fits into the empty buffer of a new connection.
      try? connection.sendAll(Array(text().utf8))
    }
  }

  /// Removes the socket.
  package func close() { listening.unlinkIfOwn() }

  /// Asks the studio that runs for a service, if there is one; returns its answer.
  package static func ask(for socket: String) -> String? {
    for path in paths(for: socket) {
      guard let connection = try? UnixSocket.connect(path: path),
        let peer = try? UnixSocket.peer(of: connection),
        [0, Process.user].contains(peer.user)
      else { continue }
      // A suspended studio doesn't answer.
      guard Poll.wait(for: [connection], milliseconds: 5000) == [true],
        let bytes = try? connection.readAll(limit: 1 << 12), !bytes.isEmpty
      else { continue }
      return String(decoding: bytes, as: UTF8.self)
    }
    return nil
  }

  private static func paths(for socket: String) -> [String] {
    let own = ServicePaths.ownSocket
    let folder = own[...(own.lastIndex(of: "/") ?? own.startIndex)]
    let name = SHA1.hash(Array(socket.utf8)).prefix(6).map { String($0, radix: 36) }.joined()
    return [socket + ".studio", "\(folder)studio-\(name)"]
  }
}
