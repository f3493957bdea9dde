internal import CDepotLinux
internal import Glibc

extension Descriptor {
  /// Opens a file for reading.
  ///
  /// The corresponding C function is `open`.
  ///
  /// - Throws: ``SystemError``; ENOENT if there is no such file.
  package static func open(reading path: String) throws(SystemError) -> Descriptor {
    Descriptor(try systemCall("open") { depot_open(path, O_RDONLY, 0) })
  }

  /// Creates a file for its owner, or empties it.
  ///
  /// The corresponding C function is `open`.
  package static func create(path: String) throws(SystemError) -> Descriptor {
    Descriptor(try systemCall("open") { depot_open(path, O_WRONLY | O_CREAT | O_TRUNC, 0o600) })
  }

  /// Writes all of `bytes` to a file, pipe, or terminal.
  ///
  /// The corresponding C function is `write`.
  ///
  /// - Throws: ``SystemError``; EPIPE if nobody reads the pipe, ENOSPC if the disk is full.
  package func write(_ bytes: UnsafeRawBufferPointer) throws(SystemError) {
    var rest = bytes
    while !rest.isEmpty {
      let count = try systemCall("write") { Glibc.write(number, rest.baseAddress, rest.count) }
      rest = UnsafeRawBufferPointer(rebasing: rest[count...])
    }
  }

  /// The size of a regular file in bytes; `nil` of anything else.
  ///
  /// The corresponding C function is `fstat`.
  package var regularFileSize: Int? {
    var status = stat()
    guard fstat(number, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return nil }
    return Int(status.st_size)
  }
}

extension SystemError {
  /// Whether nobody reads the pipe any more (EPIPE).
  package var isBrokenPipe: Bool { code == EPIPE }
}

extension Process {
  /// Whether there is a process of this number that hasn't ended.
  ///
  /// The corresponding C function is `kill`, which also finds those whose parent doesn't ask how they
  /// have ended, as in containers whose first program is no init.
  package static func exists(_ process: Int32) -> Bool {
    guard kill(process, 0) == 0 || errno == EPERM else { return false }
    guard let bytes = FileSystem.contents(of: "/proc/\(process)/stat", limit: 4096) else {
      return true
    }
    let state = String(decoding: bytes, as: UTF8.self).split(separator: ")").last?.dropFirst().first
    return state != "Z" && state != "X"
  }
}
