internal import CDepotLinux
internal import Glibc
internal import Synchronization

/// A file that is this process's standard error, and begins anew before it gets too large.
///
/// Its content until then is kept beside it, with the suffix `.1`, so that at most twice the limit is on
/// disk. Several processes may write to the same file.
package final class LogFile: Sendable {
  private let path: String
  private let limit: Int
  /// How many bytes this process may write before it looks at the file again.
  private let left = Mutex(0)

  /// Opens the file, which is made for its owner if it is missing, as the standard error.
  ///
  /// - Parameters:
  ///   - path: The file.
  ///   - limit: From how many bytes on it begins anew.
  /// - Throws: ``SystemError`` if it can't be opened for writing.
  package init(path: String, limit: Int) throws(SystemError) {
    self.path = path
    self.limit = limit
    try open()
  }

  /// Opens the file of this name again, since somebody may have given the old one another.
  ///
  /// - Throws: ``SystemError`` if it can't be opened; the old one stays.
  package func reopen() throws(SystemError) {
    left.withLock { $0 = 0 }
    try open()
  }

  /// Takes note of bytes that are about to be written, and begins the file anew if it is too large.
  package func prepare(for count: Int) {
    let isDue = left.withLock { left in
      left -= count
      if left >= 0 { return false }
      left = limit / 64
      return true
    }
    var status = stat()
    guard isDue, fstat(2, &status) == 0, Int(status.st_size) >= limit else { return }
    if isCurrent { rename(path, path + ".1") }
    // If the new file can't be opened, the old one stays in use.
    try? open()
  }

  /// Whether the file of this name is the one that is the standard error.
  private var isCurrent: Bool {
    var (own, named) = (stat(), stat())
    return fstat(2, &own) == 0 && lstat(path, &named) == 0 && own.st_dev == named.st_dev
      && own.st_ino == named.st_ino
  }

  private func open() throws(SystemError) {
    let flags = O_WRONLY | O_CREAT | O_APPEND | O_NOFOLLOW
    let file = Descriptor(try systemCall("open") { depot_open(path, flags, 0o600) })
    try systemCall("dup2") { dup2(file.number, 2) }
  }
}

extension LogFile {
  /// Whether the standard error is a connection to the journal, as `$JOURNAL_STREAM` tells of the file
  /// that it means (systemd.exec(5)).
  ///
  /// A program that inherits the variable may have another standard error.
  package static var isJournal: Bool {
    let parts = (Process.environment("JOURNAL_STREAM") ?? "").split(separator: ":")
    var status = stat()
    guard parts.count == 2, let device = UInt64(parts[0]), let inode = UInt64(parts[1]),
      fstat(2, &status) == 0
    else { return false }
    return UInt64(status.st_dev) == device && UInt64(status.st_ino) == inode
  }
}
