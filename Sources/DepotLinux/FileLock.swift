internal import CDepotLinux
internal import Glibc
internal import Synchronization

/// A lock on a file, held until the last reference to it is released (flock(2)).
///
/// It is then free at once, even if a process that is being started has inherited the descriptor;
/// except after ``handOver()``.
///
/// The first line of the file is the process identifier of its last holder. The file is never
/// removed, because another process could be about to lock it.
package final class FileLock: Sendable {
  /// The reason why the lock failed.
  package enum Failure: Error, Hashable {
    /// Another process holds the lock; its number, if known.
    case held(by: Int32?)
    case system(SystemError)
  }

  private let descriptor: Descriptor
  /// The file system of the lock's file.
  package let fileSystem: FileSystemKind
  /// Whether another process holds the same lock, which then isn't released here.
  private let isShared = Atomic(false)

  /// Locks the file at `path`, which is created if it is missing.
  ///
  /// - Parameters:
  ///   - path: The file.
  ///   - attempts: The number of attempts, five milliseconds apart.
  /// - Throws: ``Failure`` if another process has the lock, or the file can't be locked.
  package convenience init(path: String, attempts: Int = 1) throws(Failure) {
    try self.init(path, O_RDWR, attempts, depot_lock_exclusively)
    note()
  }

  /// Locks the file at `path` in shared mode, for readers; it is created if it is missing.
  ///
  /// - Throws: ``Failure`` if another process has an exclusive lock, or the file can't be locked.
  package convenience init(sharing path: String, attempts: Int = 1) throws(Failure) {
    try self.init(path, O_RDONLY, attempts, depot_lock_shared)
  }

  private init(
    _ path: String,
    _ mode: Int32,
    _ attempts: Int,
    _ lock: (Int32) -> Int32
  ) throws(Failure) {
    let descriptor: Descriptor
    do {
      let flags = mode | O_CREAT | O_NOFOLLOW
      descriptor = Descriptor(try systemCall("open") { depot_open(path, flags, 0o600) })
      self.descriptor = descriptor
      let type = try systemCall("fstatfs") { depot_file_system_type(descriptor.number) }
      fileSystem = FileSystemKind(type: type)
    } catch {
      throw .system(error)
    }
    try Self.lock(descriptor, attempts, lock)
  }

  /// Takes over another process's lock through its descriptor.
  package init(takingOver descriptor: Descriptor) {
    self.descriptor = descriptor
    fileSystem = FileSystemKind(type: depot_file_system_type(descriptor.number))
    isShared.store(true, ordering: .relaxed)
    note()
  }

  deinit {
    if !isShared.load(ordering: .relaxed) { _ = depot_unlock(descriptor.number) }
  }

  /// Returns a descriptor with which another process can hold the lock too.
  ///
  /// Afterwards the lock lasts as long as that process keeps it.
  package func handOver() -> Descriptor {
    isShared.store(true, ordering: .relaxed)
    return descriptor
  }

  /// Writes the holder's process identifier to the file, and `state` to a second line.
  func note(_ state: String = "") {
    let text = Array("\(getpid())\n\(state.isEmpty ? "" : state + "\n")".utf8)
    pwrite(descriptor.number, text, text.count, 0)
    ftruncate(descriptor.number, text.count)
  }

  private static func lock(
    _ descriptor: Descriptor,
    _ attempts: Int,
    _ lock: (Int32) -> Int32
  ) throws(Failure) {
    for attempt in 1... {
      do throws(SystemError) {
        try systemCall("flock") { lock(descriptor.number) }
        return
      } catch {
        guard error.code == EWOULDBLOCK else { throw .system(error) }
        guard attempt < attempts else { throw .held(by: holder(descriptor)) }
        Process.sleep(milliseconds: 5)
      }
    }
  }

  private static func holder(_ descriptor: Descriptor) -> Int32? {
    var bytes = [UInt8](repeating: 0, count: 16)
    let count = pread(descriptor.number, &bytes, bytes.count, 0)
    let digits = bytes.prefix(max(0, count)).prefix { $0 &- 0x30 < 10 }
    return Int32(String(decoding: digits, as: UTF8.self))
  }
}
