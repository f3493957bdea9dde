internal import CDepotLinux
internal import Glibc

/// Folders and files.
package enum FileSystem {
  /// Creates a folder for its owner only, and the folders above it, where they are missing.
  ///
  /// Failures show when the folder is used.
  package static func createPrivateFolder(_ path: String) {
    var end = path.startIndex
    while end < path.endIndex {
      let next = path[path.index(after: end)...].firstIndex(of: "/") ?? path.endIndex
      mkdir(String(path[..<next]), 0o700)
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

  /// Returns what a file holds, or `nil` if it can't be read or has over `limit` bytes.
  package static func contents(of path: String, limit: Int) -> [UInt8]? {
    let number = depot_open(path, O_RDONLY, 0)
    guard number >= 0 else { return nil }
    let descriptor = Descriptor(number)
    var result: [UInt8] = []
    let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 16, alignment: 1)
    defer { buffer.deallocate() }
    while result.count <= limit {
      guard let count = try? descriptor.read(into: buffer) else { return nil }
      if count == 0 { return result }
      result.append(contentsOf: buffer[..<count])
    }
    return nil
  }
}
