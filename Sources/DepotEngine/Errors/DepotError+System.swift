package import DepotLinux
package import DepotProtocol
internal import Glibc

extension DepotError {
  /// Explains why the system can't make, open, read, or write a file or folder.
  package init(_ error: SystemError, file path: String) {
    switch error.code {
    case ENOENT:
      self.init(.fileNotFound, "The folder of \(path) doesn't exist.")
      hint = "Make the folder, or use another path."
    case ENOTDIR:
      self.init(.fileNotFound, "There is a file in the way to \(path), where a folder should be.")
      hint = "Use another path."
    case EROFS: self = .unwritableFileSystem(path)
    case EACCES, EPERM:
      self.init(.filePermission, "User \(Process.user) may not read and write \(path).")
      hint = "Let that user read and write it and its folder, or use another path."
    case ENOSPC, EDQUOT:
      self.init(.full, "There is no room on the disk of \(path).")
      hint = "Free some room, and try again."
    case EIO:
      self.init(.io, "The disk reported an error at \(path) (\(error)).")
      hint = """
        The store itself may be sound: look for the cause in the kernel's log (dmesg) and at the disk, \
        and try again, before you think of a backup.
        """
    case EISDIR:
      self.init(.io, "\(path) is a folder.")
      hint = "Name a file."
    case ELOOP:
      self.init(.io, "\(path) is a symbolic link.")
      hint = "Use the path it leads to."
    case EMFILE, ENFILE, ENOMEM:
      self.init(.busy, "\(path) can't be opened now (\(error)).")
      hint = "Close something, or raise the limit, and try again."
    default:
      self.init(.io, "\(path) can't be used (\(error)).")
    }
  }

  /// The error for a file system that is read-only, or has become so.
  package static func unwritableFileSystem(_ path: String) -> DepotError {
    DepotError(.readOnly, "\(path) is on a file system that can't be written.")
      .hint(
        """
        Mount that for writing, or use another path. If it could be written before, look for the cause in the \
        kernel's log (dmesg); a service that is started there serves the store for reading.
        """
      )
  }
}
