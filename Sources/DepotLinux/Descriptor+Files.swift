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

  /// Creates a file with access for its owner only, or empties it.
  ///
  /// The corresponding C function is `open`.
  package static func create(path: String) throws(SystemError) -> Descriptor {
    Descriptor(
      try systemCall("open") {
        PathText.withBytes(path) { depot_open($0, O_WRONLY | O_CREAT | O_TRUNC, 0o600) }
      }
    )
  }

  /// Makes a pipe that started programs don't inherit.
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
  /// - Throws: ``SystemError``; EPIPE if the pipe has no reader, ENOSPC if the disk is full.
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

  /// Changes the permissions of a file.
  ///
  /// The corresponding C function is `fchmod`.
  package func setMode(_ mode: UInt32) throws(SystemError) {
    try systemCall("fchmod") { fchmod(number, mode) }
  }

  /// The size of a regular file in bytes; `nil` for anything else.
  ///
  /// The corresponding C function is `fstat`.
  package var regularFileSize: Int? {
    var status = stat()
    guard fstat(number, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return nil }
    return Int(status.st_size)
  }
}

extension SystemError {
  /// Whether the pipe has no reader any more (EPIPE).
  package var isBrokenPipe: Bool { code == EPIPE }
}

extension Process {
  /// Whether a process with this number exists and hasn't ended.
  ///
  /// The corresponding C function is `kill`, which also finds ended processes whose parent hasn't
  /// waited for them; those are excluded. They are common in containers whose first program is no
  /// init.
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
  /// Opens a file, but never through a symbolic link.
  ///
  /// The corresponding C function is `open`.
  ///
  /// - Parameters:
  ///   - path: The file.
  ///   - isWritable: Whether it is opened for writing too.
  ///   - mode: The permissions of the file if it is missing and so is created; `nil` to create
  ///     none.
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

  /// Gives the file the owner and the permissions of another file.
  ///
  /// The corresponding C functions are `fstat`, `fchmod`, and, if this process is root's, `fchown`.
  package func adopt(ownerOf other: Descriptor) {
    var status = stat()
    guard fstat(other.number, &status) == 0 else { return }
    fchmod(number, status.st_mode & 0o777)
    if geteuid() == 0 { _ = fchown(number, status.st_uid, status.st_gid) }
  }

  /// Locks bytes of a file while the file is open.
  ///
  /// The lock belongs to the open file, not to the process: closing the same file elsewhere in the
  /// process doesn't release it, but it still excludes other processes' POSIX locks. The
  /// corresponding C function is `fcntl` with `F_OFD_SETLK`.
  ///
  /// - Parameters:
  ///   - bytes: The range of bytes; they needn't exist.
  ///   - exclusively: Whether the lock excludes readers too.
  /// - Throws: ``SystemError`` with EAGAIN if another open file has a conflicting lock there.
  package func lock(_ bytes: Range<Int>, exclusively: Bool) throws(SystemError) {
    let kind = Int16(exclusively ? F_WRLCK : F_RDLCK)
    try systemCall("fcntl") { depot_lock_range(number, kind, bytes.lowerBound, bytes.count) }
  }

  /// Releases a lock at once, even if a process that is being started has inherited the descriptor.
  package func unlock(_ bytes: Range<Int>) {
    _ = depot_lock_range(number, Int16(F_UNLCK), bytes.lowerBound, bytes.count)
  }
}
