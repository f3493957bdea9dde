internal import DepotLinux
internal import DepotProtocol

/// The folder for a service's stores in memory, on a file system in memory.
///
/// A killed service leaves its folder behind; the next service of the same user removes it.
final class MemoryFolder {
  /// The name of the file whose lock shows that the folder's service runs.
  private static let lockName = "lock"
  private static let base = "/dev/shm"
  private static var prefix: String { "depot-\(Process.user)-" }

  let path: String
  private let lock: FileLock

  /// Creates the folder for the service named `instance`.
  ///
  /// - Throws: ``DepotError`` `storage.io` if it can't be created.
  init(instance: String) throws(DepotError) {
    path = "\(Self.base)/\(Self.prefix)\(instance)"
    // The folder gets its final name after it is locked.
    let fresh = "\(Self.base)/new-\(Self.prefix)\(instance)"
    do {
      try FileSystem.createNewPrivateFolder(fresh)
      lock = try FileLock(path: "\(fresh)/\(Self.lockName)")
      try FileSystem.rename(fresh, to: path)
    } catch {
      FileSystem.remove(folderWithFiles: fresh)
      throw DepotError(.io, "There is no place for stores in memory at \(Self.base): \(error).")
    }
  }

  /// Removes the folder with all its files.
  func remove() {
    FileSystem.remove(folderWithFiles: path)
  }

  /// Removes the folders of ended services, once for each process.
  static let removeLeftoversOnce: Void = removeLeftovers()

  /// Removes the folders of ended services.
  static func removeLeftovers() {
    for name in FileSystem.entries(of: base) where name.hasPrefix(prefix) {
      let folder = "\(base)/\(name)"
      // A folder without Depot's lock file isn't Depot's.
      guard FileSystem.isPrivateFolder(folder), FileSystem.size(of: "\(folder)/\(lockName)") != nil,
        let lock = try? FileLock(path: "\(folder)/\(lockName)")
      else { continue }
      FileSystem.remove(folderWithFiles: folder)
      withExtendedLifetime(lock) {}
    }
  }
}
