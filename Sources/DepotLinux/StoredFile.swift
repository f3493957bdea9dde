internal import CDepotLinux
internal import Glibc

/// An open file of a store, for operations that SQLite doesn't offer.
///
/// Closing it doesn't release the process's locks on a database.
package struct StoredFile: Sendable {
  private let descriptor: Descriptor

  /// Opens an existing file, without following a symbolic link.
  ///
  /// - Throws: ``SystemError``, with ENOENT if it doesn't exist.
  package init(path: String, isWritable: Bool = false) throws(SystemError) {
    descriptor = try Descriptor.open(file: path, isWritable: isWritable)
  }

  /// Creates an empty file that only its owner may read, unless it exists.
  package static func create(path: String) throws(SystemError) {
    _ = try Descriptor.open(file: path, isWritable: true, creatingWithMode: 0o600)
  }

  package func size() throws(SystemError) -> Int { try descriptor.fileSize() }

  /// Reads up to `count` bytes at `offset`; fewer only at the end.
  package func read(_ count: Int, at offset: Int) throws(SystemError) -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: count)
    var read = 0
    while read < count {
      let more = try bytes.withUnsafeMutableBufferPointer { (buffer) throws(SystemError) in
        let rest = UnsafeMutableBufferPointer(rebasing: buffer[read...])
        return try systemCall("pread") {
          pread(descriptor.number, rest.baseAddress, rest.count, offset + read)
        }
      }
      if more == 0 { break }
      read += more
    }
    bytes.removeSubrange(read...)
    return bytes
  }

  /// Writes bytes at `offset`.
  package func write(_ bytes: [UInt8], at offset: Int) throws(SystemError) {
    var written = 0
    while written < bytes.count {
      written += try bytes.withUnsafeBufferPointer { (buffer) throws(SystemError) in
        let rest = UnsafeBufferPointer(rebasing: buffer[written...])
        return try systemCall("pwrite") {
          pwrite(descriptor.number, rest.baseAddress, rest.count, offset + written)
        }
      }
    }
  }

  /// Writes zeros from the end of the file up to `size`, and flushes them to disk.
  ///
  /// - Returns: The number of added bytes.
  package func extend(to size: Int) throws(SystemError) -> Int {
    let end = try self.size()
    guard end < size else { return 0 }
    let most = 1 << 18
    // The kernel maps zeros, so that none need be written to memory.
    let zeros = mmap(nil, most, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)
    guard let zeros, zeros != MAP_FAILED else { throw SystemError(call: "mmap", code: errno) }
    defer { munmap(zeros, most) }
    var offset = end
    while offset < size {
      let count = min(most, size - offset)
      offset += try systemCall("pwrite") { pwrite(descriptor.number, zeros, count, offset) }
    }
    try flush()
    return size - end
  }

  /// Flushes the file to disk.
  ///
  /// The corresponding C function is `fsync`.
  package func flush() throws(SystemError) {
    try systemCall("fsync") { fsync(descriptor.number) }
  }

  /// Removes the file from the system's cache, so that it is next read from the disk.
  ///
  /// The corresponding C function is `posix_fadvise`.
  package func dropCache() throws(SystemError) {
    let code = posix_fadvise(descriptor.number, 0, 0, Int32(POSIX_FADV_DONTNEED))
    guard code == 0 else { throw SystemError(call: "posix_fadvise", code: code) }
  }
}
