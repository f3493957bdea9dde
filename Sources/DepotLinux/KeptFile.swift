internal import CDepotLinux
internal import Glibc

/// The identity of a file or folder: its device and inode, regardless of its name.
package struct FileIdentity: Hashable, Sendable {
  private let device: dev_t
  private let inode: ino_t

  /// Identifies the file at a path, without following a symbolic link; `nil` if it doesn't exist.
  package init?(_ path: String) {
    var status = stat()
    guard PathText.withBytes(path, { lstat($0, &status) }) == 0 else { return nil }
    (device, inode) = (status.st_dev, status.st_ino)
  }
}

/// A file that must stay at its path while it is in use.
package struct KeptFile: Sendable {
  /// The event that removed a file from its path.
  package enum Loss: Hashable, Sendable {
    /// The path doesn't exist: the file, or a folder above it, was removed or renamed.
    case removed
    /// Another file is at the path.
    case replaced
  }

  /// The absolute path.
  package let path: String
  private let identity: FileIdentity

  /// Remembers the file that is at a path now; `nil` if there is none.
  package init?(_ path: String) {
    // A relative path would change its meaning when the working folder is moved.
    let absolute = path.hasPrefix("/") ? path : FileSystem.resolved(path) ?? path
    guard let identity = FileIdentity(absolute) else { return nil }
    self.path = absolute
    self.identity = identity
  }

  /// The event that removed the file from its path; `nil` if it is still there.
  package var loss: Loss? {
    guard let found = FileIdentity(path) else { return .removed }
    return found == identity ? nil : .replaced
  }
}
