internal import CDepotLinux
internal import Glibc

/// Files and pipes.
extension Descriptor {
  /// Opens a file for reading.
  ///
  /// The corresponding C function is `open`.
  ///
  /// - Throws: ``SystemError``; ENOENT if there is no such file.
  package static func open(reading path: String) throws(SystemError) -> Descriptor {
    Descriptor(
      try systemCall("open") {
        PathText.withBytes(path) { depot_open($0, O_RDONLY, 0) }
      }
    )
  }

  /// Creates a file for its owner, or empties it.
  ///
  /// The corresponding C function is `open`.
  package static func create(path: String) throws(SystemError) -> Descriptor {
    Descriptor(
      try systemCall("open") {
        PathText.withBytes(path) { depot_open($0, O_WRONLY | O_CREAT | O_TRUNC, 0o600) }
      }
    )
  }

  /// Makes a pipe that programs started by this one don't inherit.
  ///
  /// The corresponding C function is `pipe`.
  package static func pipe() throws(SystemError) -> (reading: Descriptor, writing: Descriptor) {
    var ends: [Int32] = [-1, -1]
    try systemCall("pipe") { Glibc.pipe(&ends) }
    for end in ends { depot_set_close_on_exec(end) }
    return (Descriptor(ends[0]), Descriptor(ends[1]))
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

  /// Writes all of `bytes` to a file, pipe, or terminal.
  package func write(_ bytes: [UInt8]) throws(SystemError) {
    try bytes.withUnsafeBufferPointer { (buffer) throws(SystemError) in
      try write(UnsafeRawBufferPointer(buffer))
    }
  }

  /// Gives a file other permissions.
  ///
  /// The corresponding C function is `fchmod`.
  package func setMode(_ mode: UInt32) throws(SystemError) {
    try systemCall("fchmod") { fchmod(number, mode) }
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

extension Descriptor {
  /// Opens a file, never one that a symbolic link leads to.
  ///
  /// The corresponding C function is `open`.
  ///
  /// - Parameters:
  ///   - path: The file.
  ///   - isWritable: Whether it is opened for writing too.
  ///   - mode: Who may use a file that is made because it is missing; `nil` if none is to be made.
  /// - Returns: The descriptor.
  /// - Throws: ``SystemError``; ENOENT if there is no such file, ELOOP if it is a symbolic link.
  package static func open(
    file path: String,
    isWritable: Bool,
    creatingWithMode mode: UInt32? = nil
  ) throws(SystemError) -> Descriptor {
    let flags = (isWritable ? O_RDWR : O_RDONLY) | O_NOFOLLOW | (mode == nil ? 0 : O_CREAT)
    return Descriptor(try systemCall("open") { depot_open(path, flags, mode ?? 0) })
  }

  /// Returns the size of a file in bytes.
  ///
  /// The corresponding C function is `fstat`.
  package func fileSize() throws(SystemError) -> Int {
    Int(try systemCall("fstat") { depot_file_size(number) })
  }

  /// Gives a file the owner and the permissions of another.
  ///
  /// The corresponding C functions are `fstat`, `fchmod`, and, if this process is root's, `fchown`.
  package func adopt(ownerOf other: Descriptor) {
    var status = stat()
    guard fstat(other.number, &status) == 0 else { return }
    fchmod(number, status.st_mode & 0o777)
    if geteuid() == 0 { _ = fchown(number, status.st_uid, status.st_gid) }
  }

  /// Locks bytes of a file, for as long as the file is open.
  ///
  /// The lock is the open file's, not the process's: closing the same file elsewhere in the process
  /// doesn't end it, and other processes' POSIX locks heed it. The corresponding C function is `fcntl`
  /// with `F_OFD_SETLK`.
  ///
  /// - Parameters:
  ///   - bytes: Which bytes; they needn't exist.
  ///   - exclusively: Whether nobody else may even read them.
  /// - Throws: ``SystemError`` with EAGAIN if somebody else has a lock there.
  package func lock(_ bytes: Range<Int>, exclusively: Bool) throws(SystemError) {
    let kind = Int16(exclusively ? F_WRLCK : F_RDLCK)
    try systemCall("fcntl") { depot_lock_range(number, kind, bytes.lowerBound, bytes.count) }
  }

  /// Ends a lock at once, also if a process that is just being started has the descriptor for a moment.
  package func unlock(_ bytes: Range<Int>) {
    _ = depot_lock_range(number, Int16(F_UNLCK), bytes.lowerBound, bytes.count)
  }
}
