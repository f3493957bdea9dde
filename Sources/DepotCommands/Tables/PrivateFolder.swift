internal import DepotLinux
internal import DepotProtocol

/// A private folder that is removed when its task is done.
struct PrivateFolder {
  let path: String

  /// Makes a folder under `$TMPDIR`, or `/tmp`, and removes it when `body` returns or throws.
  static func with<Result>(
    _ name: String,
    _ body: (PrivateFolder) throws -> Result
  ) throws -> Result {
    let number = String(UInt64.random(in: .min ... .max), radix: 36)
    let parent = Process.environment("TMPDIR") ?? "/tmp"
    let place = PrivateFolder(path: "\(parent)/\(name)-\(number)")
    try attempt("A folder in \(parent) can't be made") { () throws(SystemError) in
      try FileSystem.createNewPrivateFolder(place.path)
    }
    // The lock shows others that this program still needs the folder.
    let lock = try? Descriptor.open(
      file: place.path + Self.lockName,
      isWritable: true,
      creatingWithMode: 0o600
    )
    try? lock?.lock(0..<1, exclusively: true)
    defer {
      place.remove()
      withExtendedLifetime(lock) {}
    }
    return try body(place)
  }

  /// The name of the lock file in it, after a slash.
  private static let lockName = "/lock"

  /// Returns the folders `depot-…` of killed programs in `$TMPDIR`, or `/tmp`.
  static func left() -> [PrivateFolder] {
    let parent = Process.environment("TMPDIR") ?? "/tmp"
    return FileSystem.entries(of: parent).filter { $0.hasPrefix("depot-") }.sorted().compactMap {
      let place = PrivateFolder(path: "\(parent)/\($0)")
      guard FileSystem.isPrivateFolder(place.path),
        let lock = try? Descriptor.open(file: place.path + Self.lockName, isWritable: true),
        (try? lock.lock(0..<1, exclusively: true)) != nil
      else { return nil }
      return place
    }
  }

  /// The task of the program that made it, by its name.
  var work: String {
    let name = path.split(separator: "/").last ?? ""
    let works = [("depot-import", "an import"), ("depot-export", "an export")]
    return works.first { name.hasPrefix($0.0) }?.1 ?? "a backup"
  }

  /// Removes it with all its files.
  func remove() {
    for name in FileSystem.entries(of: path) {
      FileSystem.remove(folderWithFiles: "\(path)/\(name)")
    }
    FileSystem.remove(folderWithFiles: path)
  }

  /// Makes a folder in it, and returns its path.
  func made(_ name: String) throws(DepotError) -> String {
    try attempt("The folder \(path)/\(name) can't be made") { () throws(SystemError) in
      try FileSystem.createNewPrivateFolder("\(path)/\(name)")
    }
    return "\(path)/\(name)"
  }
}
