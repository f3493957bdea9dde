internal import CDepotLinux
internal import Glibc

/// An open file of a store, for what must be done behind SQLite's back.
///
/// Closing a file ends all POSIX locks that the process has on it, so never open the database or its
/// `-shm` file while SQLite has it open.
package struct StoredFile: Sendable {
  private let descriptor: Descriptor

  /// Opens a file that exists, without following a symbolic link.
  ///
  /// - Throws: ``SystemError``, with ENOENT if it doesn't exist.
  package init(path: String, isWritable: Bool = false) throws(SystemError) {
    let flags = (isWritable ? O_RDWR : O_RDONLY) | O_NOFOLLOW
    descriptor = Descriptor(try systemCall("open") { depot_open(path, flags, 0) })
  }

  /// Creates an empty file that only its owner may read, if there is none.
  package static func create(path: String) throws(SystemError) {
    let flags = O_RDWR | O_CREAT | O_NOFOLLOW
    _ = Descriptor(try systemCall("open") { depot_open(path, flags, 0o600) })
  }

  package func size() throws(SystemError) -> Int {
    Int(try systemCall("fstat") { depot_file_size(descriptor.number) })
  }

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

  /// Writes zeros from the end of the file up to `size`, and waits until they are on disk.
  ///
  /// - Returns: How many bytes were added.
  package func extend(to size: Int) throws(SystemError) -> Int {
    let end = try self.size()
    guard end < size else { return 0 }
    let zeros = [UInt8](repeating: 0, count: 1 << 18)
    var offset = end
    while offset < size {
      let count = min(zeros.count, size - offset)
      offset += try systemCall("pwrite") { pwrite(descriptor.number, zeros, count, offset) }
    }
    try flush()
    return size - end
  }

  /// Waits until the file is on disk.
  ///
  /// The corresponding C function is `fsync`.
  package func flush() throws(SystemError) {
    try systemCall("fsync") { fsync(descriptor.number) }
  }

  /// Makes the next read come from the disk.
  ///
  /// The corresponding C function is `posix_fadvise`.
  package func dropCache() throws(SystemError) {
    let code = posix_fadvise(descriptor.number, 0, 0, Int32(POSIX_FADV_DONTNEED))
    guard code == 0 else { throw SystemError(call: "posix_fadvise", code: code) }
  }
}
