internal import DepotLinux
internal import DepotProtocol

/// A folder of this user alone that goes when the work in it is done.
struct TemporaryPlace {
  let path: String

  /// Makes a folder under `$TMPDIR`, or `/tmp`, and removes it when `body` returns or throws.
  static func with<Result>(
    _ name: String,
    _ body: (TemporaryPlace) throws -> Result
  ) throws -> Result {
    let number = String(UInt64.random(in: .min ... .max), radix: 36)
    let parent = Process.environment("TMPDIR") ?? "/tmp"
    let place = TemporaryPlace(path: "\(parent)/\(name)-\(number)")
    try attempt("A folder in \(parent) can't be made") { () throws(SystemError) in
      try FileSystem.createNewPrivateFolder(place.path)
    }
    defer {
      for name in FileSystem.entries(of: place.path) {
        FileSystem.remove(folderWithFiles: "\(place.path)/\(name)")
      }
      FileSystem.remove(folderWithFiles: place.path)
    }
    return try body(place)
  }

  /// Makes a folder in it, and returns its path.
  func made(_ name: String) throws(DepotError) -> String {
    try attempt("The folder \(path)/\(name) can't be made") { () throws(SystemError) in
      try FileSystem.createNewPrivateFolder("\(path)/\(name)")
    }
    return "\(path)/\(name)"
  }
}
