internal import CDepotLinux
internal import Glibc

/// Folders and files.
package enum FileSystem {
  /// Creates a folder for its owner only, and the folders above it, where they are missing.
  ///
  /// - Throws: ``SystemError`` if one is missing and can't be made.
  package static func createPrivateFolder(_ path: String) throws(SystemError) {
    var end = path.startIndex
    while end < path.endIndex {
      let next = path[path.index(after: end)...].firstIndex(of: "/") ?? path.endIndex
      let folder = String(path[..<next])
      var status = stat()
      // One that exists on a file system that can only be read may be called that rather than there.
      if mkdir(folder, 0o700) != 0, case let code = errno, stat(folder, &status) != 0 {
        throw SystemError(call: "mkdir", code: code)
      }
      end = next
    }
  }
}

extension FileSystem {
  /// Whether `path` is a folder of this user that nobody else can write to, and no link.
  package static func isPrivateFolder(_ path: String) -> Bool {
    var status = stat()
    guard lstat(path, &status) == 0 else { return false }
    return status.st_mode & S_IFMT == S_IFDIR && status.st_uid == geteuid()
      && status.st_mode & 0o022 == 0
  }

  /// Returns the content of a file, or `nil` if it can't be read or has over `limit` bytes.
  package static func contents(of path: String, limit: Int) -> [UInt8]? {
    try? Descriptor.open(reading: path).readAll(limit: limit)
  }
}
