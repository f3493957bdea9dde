internal import CDepotSQLite
package import DepotLinux
internal import Glibc
internal import Synchronization

/// The file beside a store that holds its ``DurableState``.
package final class StateFile: Sendable {
  private let descriptor: Descriptor
  private let state: Mutex<Content>

  private struct Content {
    var serial: UInt64
    var state: DurableState
  }

  /// Returns the path of a store's state file.
  package static func path(of store: String) -> String { store + ".state" }

  private init(_ descriptor: Descriptor, _ content: Content) {
    self.descriptor = descriptor
    state = Mutex(content)
  }

  /// Opens a store's state file; `nil` if there is none.
  ///
  /// - Throws: ``SystemError`` if it can't be written; EIO if both of its copies are damaged.
  package static func open(beside store: String) throws(SystemError) -> StateFile? {
    let path = path(of: store)
    do throws(SystemError) {
      let descriptor = try Descriptor.open(file: path, isWritable: true)
      guard let content = try read(path) else { throw SystemError(call: "read", code: EIO) }
      return StateFile(descriptor, content)
    } catch {
      if error.isMissingFile { return nil }
      throw error
    }
  }

  /// Returns the state of a store; `nil` if both copies in its state file are damaged.
  ///
  /// - Throws: ``SystemError``; ENOENT if there is no state file.
  package static func state(of store: String) throws(SystemError) -> DurableState? {
    try read(path(of: store))?.state
  }

  private static func read(_ path: String) throws(SystemError) -> Content? {
    let bytes = try StoredFile(path: path)
      .read(DurableState.distance + DurableState.size, at: 0)
    return DurableState.newest(in: bytes).map { Content(serial: $0.serial, state: $0.state) }
  }

  /// Makes or replaces a store's state file, and flushes it to disk.
  ///
  /// If the process ends meanwhile, the file has either the old or the new state.
  package static func set(_ state: DurableState, beside store: String) throws(SystemError) {
    let path = path(of: store)
    let draft = path + ".new"
    let descriptor = try Descriptor.open(file: draft, isWritable: true, creatingWithMode: 0o600)
    if let main = try? Descriptor.open(reading: store) { descriptor.adopt(ownerOf: main) }
    // Both copies are written, so that the file never grows later.
    for serial in [UInt64(1), 2] { try write(state, serial, to: descriptor) }
    try systemCall("fsync") { fsync(descriptor.number) }
    try FileSystem.renameDurably(draft, to: path)
  }

  private static func write(
    _ state: DurableState,
    _ serial: UInt64,
    to descriptor: Descriptor
  ) throws(SystemError) {
    let bytes = state.bytes(serial: serial)
    let place = Int(serial % 2) * DurableState.distance
    let count = try systemCall("pwrite") {
      pwrite(descriptor.number, bytes, bytes.count, place)
    }
    guard count == bytes.count else { throw SystemError(call: "pwrite", code: EIO) }
  }

  /// The last written state.
  package var current: DurableState { state.withLock { $0.state } }

  /// Flushes the state to disk.
  ///
  /// - Returns: A result code of SQLite.
  func flush() -> Int32 { update(isFlushed: true) { _ in } }

  /// Changes the state.
  ///
  /// If there is no room for a change that isn't flushed, it is written with the next change: until
  /// then the state on disk says less than the files hold, as after a power failure.
  ///
  /// - Parameters:
  ///   - isFlushed: Whether to flush it to disk.
  ///   - change: Changes the state.
  /// - Returns: A result code of SQLite.
  func update(isFlushed: Bool = false, _ change: (inout DurableState) -> Void) -> Int32 {
    state.withLock { content in
      change(&content.state)
      content.serial += 1
      do throws(SystemError) {
        try Self.write(content.state, content.serial, to: descriptor)
        if isFlushed { try systemCall("fdatasync") { fdatasync(descriptor.number) } }
        return SQLITE_OK
      } catch {
        errno = error.code
        guard error.isWantOfRoom else { return IOFailure.write }
        return isFlushed ? IOFailure.noRoom : SQLITE_OK
      }
    }
  }
}
