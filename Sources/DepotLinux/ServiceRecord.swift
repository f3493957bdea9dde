internal import Glibc

/// A small file beside a socket, with the suffix `.service`, about the last service there.
///
/// A service writes `running` when it starts to serve, so that a client that starts the next
/// service gives it the same store. It writes `stopped` when a user stops it, so that clients don't
/// start one automatically. The state is the file's first line, and the rest is the path of the
/// store.
package struct ServiceRecord: Hashable, Sendable {
  /// The absolute path of the store.
  package var store: String
  /// Whether a user has stopped the service, and no client should start it automatically.
  package var isStopped: Bool

  package init(store: String, isStopped: Bool = false) {
    self.store = store
    self.isStopped = isStopped
  }

  /// Reads the record beside a socket; `nil` if there is none.
  package init?(besideSocket path: String) {
    let file = path + Self.suffix
    guard let bytes = FileSystem.contents(of: file, limit: 1 << 16) else { return nil }
    let parts = bytes.split(separator: UInt8(ascii: "\n"), maxSplits: 1)
    guard parts.count == 2 else { return nil }
    isStopped = parts[0].elementsEqual(Self.stopped.utf8)
    guard isStopped || parts[0].elementsEqual(Self.running.utf8) else { return nil }
    store = String(decoding: parts[1], as: UTF8.self)
  }

  /// Writes the record beside a socket, and so replaces the previous one.
  ///
  /// - Throws: ``SystemError`` if the file can't be written; the previous record then stays.
  package func write(besideSocket path: String) throws(SystemError) {
    let temporary = path + Self.suffix + "-\(Process.identifier)"
    do throws(SystemError) {
      let text = "\(isStopped ? Self.stopped : Self.running)\n\(store)"
      try Descriptor.create(path: temporary).write(Array(text.utf8))
      try FileSystem.rename(temporary, to: path + Self.suffix)
    } catch {
      FileSystem.remove(file: temporary)
      throw error
    }
  }

  private static let suffix = ".service"
  private static let running = "running"
  private static let stopped = "stopped"
}
