internal import CDepotLinux
internal import Glibc
internal import Synchronization

/// A log file that is this process's standard error, and is restarted when it becomes too large.
///
/// The previous content is kept beside it, with the suffix `.1`, so that at most twice the limit is
/// on disk. Several processes may write to the same file.
package final class LogFile: Sendable {
  private let path: String
  private let limit: Int
  /// The number of bytes that this process may write before it checks the file's size again.
  private let left = Mutex(0)

  /// Opens the file as the standard error; it is created for its owner if it is missing.
  ///
  /// - Parameters:
  ///   - path: The file.
  ///   - limit: The size in bytes from which it is restarted.
  /// - Throws: ``SystemError`` if it can't be opened for writing.
  package init(path: String, limit: Int) throws(SystemError) {
    self.path = path
    self.limit = limit
    try open()
  }

  /// Opens the file at the path again, since the previous one may have been renamed.
  ///
  /// - Throws: ``SystemError`` if it can't be opened; then the previous file stays in use.
  package func reopen() throws(SystemError) {
    left.withLock { $0 = 0 }
    try open()
  }

  /// Counts bytes that are about to be written, and restarts the file if it is too large.
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
    // If the new file can't be opened, the previous one stays in use.
    try? open()
  }

  /// Whether the file at the path is the standard error.
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
  /// Whether the standard error is a connection to the journal (systemd.exec(5)).
  ///
  /// `$JOURNAL_STREAM` identifies the file of that connection. A program that inherits the variable
  /// may have another standard error.
  package static var isJournal: Bool {
    let parts = (Process.environment("JOURNAL_STREAM") ?? "").split(separator: ":")
    var status = stat()
    guard parts.count == 2, let device = UInt64(parts[0]), let inode = UInt64(parts[1]),
      fstat(2, &status) == 0
    else { return false }
    return UInt64(status.st_dev) == device && UInt64(status.st_ino) == inode
  }
}
