internal import DepotLinux
internal import DepotProtocol

/// The folder of the stores in memory: one for each running service, on a file system in memory.
///
/// A service that was killed leaves its folder behind; the next one of the same user removes it.
final class MemoryFolder {
  /// The name of the file whose lock shows that the folder's service runs.
  private static let lockName = "lock"
  private static let base = "/dev/shm"
  private static var prefix: String { "depot-\(Process.user)-" }

  let path: String
  private let lock: FileLock

  /// Creates the folder for the service named `instance`.
  ///
  /// - Throws: ``DepotError`` `storage.io` if there can be none.
  init(instance: String) throws(DepotError) {
    path = "\(Self.base)/\(Self.prefix)\(instance)"
    // Under its final name it is locked from the beginning.
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

  /// Removes the folder with all that is in it.
  func remove() {
    FileSystem.remove(folderWithFiles: path)
  }

  /// Has the folders of services that are gone removed, the first time that a program comes here.
  static let removeLeftoversOnce: Void = removeLeftovers()

  /// Removes the folders of services that are gone.
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
