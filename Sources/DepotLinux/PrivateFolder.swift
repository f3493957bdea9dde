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
