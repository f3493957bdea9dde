internal import Glibc

/// The last service at a socket, as noted in a small file beside it, which has the suffix `.service`.
///
/// A service writes it when it begins to serve, so that the client that starts the next one gives it
/// the same store; and when it is told to stop, so that no client starts one by itself. The file's
/// first line is `running` or `stopped`, and the rest is the path of the store.
package struct ServiceRecord: Hashable, Sendable {
  /// The absolute path of the store.
  package var store: String
  /// Whether somebody has stopped the service, and wants none until asked for.
  package var isStopped: Bool

  package init(store: String, isStopped: Bool = false) {
    self.store = store
    self.isStopped = isStopped
  }

  /// Reads what is noted beside a socket; `nil` if nothing is.
  package init?(besideSocket path: String) {
    let file = path + Self.suffix
    guard let bytes = FileSystem.contents(of: file, limit: 1 << 16) else { return nil }
    let parts = bytes.split(separator: UInt8(ascii: "\n"), maxSplits: 1)
    guard parts.count == 2 else { return nil }
    isStopped = parts[0].elementsEqual(Self.stopped.utf8)
    guard isStopped || parts[0].elementsEqual(Self.running.utf8) else { return nil }
    store = String(decoding: parts[1], as: UTF8.self)
  }

  /// Notes it beside a socket, in the place of what was noted before.
  ///
  /// - Throws: ``SystemError`` if the file can't be written; what was noted before is still there.
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
