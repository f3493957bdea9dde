internal import DepotLinux
internal import DepotProtocol

/// A file or folder left by a killed program.
struct Leftover {
  let path: String
  /// The task that left it.
  let origin: String
  let remove: () -> Void

  /// Returns all leftovers in a folder; other stores' journals only if `stores` is known.
  static func all(in folder: String, stores: [String]?) -> [Leftover] {
    let names = FileSystem.entries(of: folder).sorted()
    return names.compactMap { find("\(folder)/\($0)", stores: stores) }
      + ([folder] + names.map { "\(folder)/\($0)" }).flatMap(files(ofExport:))
  }

  private static func find(_ path: String, stores: [String]?) -> Leftover? {
    if BackupFile.isLeft(path) {
      return Leftover(path: path, origin: "a backup that was killed") {
        BackupFile.remove(left: path)
      }
    }
    if BackupFolder.isLeft(path) {
      return Leftover(path: path, origin: "a backup that was killed") {
        BackupFolder.remove(left: path)
      }
    }
    guard let stores, let store = ImportJournal.store(ofJournal: path),
      !Set(store).isSubset(of: stores)
    else { return nil }
    return Leftover(path: path, origin: "an import into another store") {
      FileSystem.remove(file: path)
    }
  }

  private static func files(ofExport folder: String) -> [Leftover] {
    ExportDraft.left(in: folder).map { path in
      Leftover(path: path, origin: "an export that was killed") { FileSystem.remove(file: path) }
    }
  }
}
