internal import CDepotLinux
internal import Glibc

/// Folders and files.
package enum FileSystem {
  /// Creates a folder with access for its owner only, and the missing folders above it.
  ///
  /// - Throws: ``SystemError`` if a missing one can't be created.
  package static func createPrivateFolder(_ path: String) throws(SystemError) {
    var end = path.startIndex
    while end < path.endIndex {
      let next = path[path.index(after: end)...].firstIndex(of: "/") ?? path.endIndex
      let folder = String(path[..<next])
      var status = stat()
      // For an existing folder on a read-only file system, mkdir(2) may report EROFS instead of
      // EEXIST.
      if mkdir(folder, 0o700) != 0, case let code = errno, stat(folder, &status) != 0 {
        throw SystemError(call: "mkdir", code: code)
      }
      end = next
    }
  }
}

extension FileSystem {
  /// Whether `path` is this user's folder, writable only by this user, and not a link.
  package static func isPrivateFolder(_ path: String) -> Bool {
    var status = stat()
    guard lstat(path, &status) == 0 else { return false }
    return status.st_mode & S_IFMT == S_IFDIR && status.st_uid == geteuid()
      && status.st_mode & 0o022 == 0
  }

  /// Returns the content of a file, or `nil` if it can't be read or has more than `limit` bytes.
  package static func contents(of path: String, limit: Int) -> [UInt8]? {
    try? Descriptor.open(reading: path).readAll(limit: limit)
  }
}
