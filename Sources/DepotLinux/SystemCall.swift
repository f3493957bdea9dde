internal import CDepotLinux
internal import Glibc

/// A failed system call.
package struct SystemError: Error, Hashable {
  /// The name of the call.
  package var call: String
  /// The value of errno.
  package var code: Int32

  package init(call: String, code: Int32) {
    self.call = call
    self.code = code
  }
}

extension SystemError: CustomStringConvertible {
  package var description: String {
    "\(call): \(strerror(code).map { String(cString: $0) } ?? "error \(code)")"
  }
}

/// Makes a system call, and repeats it while a signal interrupts it.
///
/// - Throws: ``SystemError`` if `body` returns -1 for any other reason.
@discardableResult
package func systemCall<Result: FixedWidthInteger>(
  _ name: StaticString,
  _ body: () -> Result
) throws(SystemError) -> Result {
  while true {
    let result = body()
    if result != -1 { return result }
    let code = errno
    guard code == EINTR else { throw SystemError(call: "\(name)", code: code) }
  }
}

/// The monotonic clock.
package enum Monotonic {
  /// Returns the nanoseconds since an arbitrary point in the past.
  package static func now() -> UInt64 { nanoseconds(of: CLOCK_MONOTONIC) }

  /// Returns the time of a clock in nanoseconds (clock_gettime(2)).
  static func nanoseconds(of clock: clockid_t) -> UInt64 {
    var time = timespec()
    clock_gettime(clock, &time)
    return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
  }
}

extension SystemError {
  /// Whether the call would have to wait (EAGAIN).
  package var wouldBlock: Bool { code == EAGAIN || code == EWOULDBLOCK }

  /// Whether a listening socket's queue is full (EAGAIN from connect(2)).
  package var isQueueFull: Bool { code == EAGAIN }

  /// Whether a path is too long (ENAMETOOLONG).
  package var isNameTooLong: Bool { code == ENAMETOOLONG }

  /// Whether access was denied (EACCES, EPERM).
  package var isPermission: Bool { code == EACCES || code == EPERM }

  /// Whether the path can't be written (EACCES, EPERM, EROFS).
  package var isReadOnly: Bool { isPermission || isReadOnlyFileSystem }

  /// Whether the file system is read-only (EROFS).
  package var isReadOnlyFileSystem: Bool { code == EROFS }

  /// Whether the disk is full or a quota is exceeded (ENOSPC, EDQUOT).
  package var isWantOfRoom: Bool { code == ENOSPC || code == EDQUOT }

  /// Whether a file doesn't exist (ENOENT).
  package var isMissingFile: Bool { code == ENOENT }

  /// Whether descriptors or memory ran out (EMFILE, ENFILE, ENOBUFS, ENOMEM).
  package var isExhaustion: Bool { [EMFILE, ENFILE, ENOBUFS, ENOMEM].contains(code) }
}
