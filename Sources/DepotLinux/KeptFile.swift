internal import CDepotLinux
internal import Glibc

/// The identity of a file or folder: its device and inode, without its name.
package struct FileIdentity: Hashable, Sendable {
  private let device: dev_t
  private let inode: ino_t

  /// Identifies the file at a path, without following a symbolic link; `nil` if there is none.
  package init?(_ path: String) {
    var status = stat()
    guard PathText.withBytes(path, { lstat($0, &status) }) == 0 else { return nil }
    (device, inode) = (status.st_dev, status.st_ino)
  }
}

/// A file that has to stay at its path while somebody uses it.
package struct KeptFile: Sendable {
  /// The event that took a file from its path.
  package enum Loss: Hashable, Sendable {
    /// Nothing is there: the file, or a folder above it, was removed or got another name.
    case removed
    /// Another file is there.
    case replaced
  }

  /// The absolute path.
  package let path: String
  private let identity: FileIdentity

  /// Notes which file is at a path now; `nil` if none is.
  package init?(_ path: String) {
    // A path from the working folder would follow that wherever it is moved.
    let absolute = path.hasPrefix("/") ? path : FileSystem.resolved(path) ?? path
    guard let identity = FileIdentity(absolute) else { return nil }
    self.path = absolute
    self.identity = identity
  }

  /// The event that took it away since; `nil` if it is where it was.
  package var loss: Loss? {
    guard let found = FileIdentity(path) else { return .removed }
    return found == identity ? nil : .replaced
  }
}
