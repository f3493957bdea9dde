internal import CDepotLinux
internal import Glibc

/// Notifications that file names changed, read from a descriptor (inotify(7)).
///
/// They only say that something changed, without details.
package struct FileNotices: Sendable {
  package let descriptor: Descriptor

  /// - Throws: ``SystemError`` if this user has too many watches already.
  package init() throws(SystemError) {
    descriptor = Descriptor(
      try systemCall("inotify_init1") { inotify_init1(Int32(IN_CLOEXEC) | Int32(IN_NONBLOCK)) }
    )
  }

  /// Watches for the file, or a folder above it, being renamed or removed.
  package func watch(_ file: KeptFile) {
    // An open file that is removed changes its number of links.
    let events = UInt32(IN_ATTRIB) | UInt32(IN_MOVE_SELF) | UInt32(IN_DELETE_SELF)
    inotify_add_watch(descriptor.number, file.path, events)
    var folder = (FileSystem.resolved(file.path) ?? file.path)[...]
    while let slash = folder.lastIndex(of: "/"), slash > folder.startIndex {
      folder = folder[..<slash]
      let events = UInt32(IN_MOVE_SELF) | UInt32(IN_DELETE_SELF)
      inotify_add_watch(descriptor.number, String(folder), events)
    }
  }

  /// Reads and discards all notifications.
  package func takeAll() {
    withUnsafeTemporaryAllocation(byteCount: 4096, alignment: 8) { buffer in
      while read(descriptor.number, buffer.baseAddress, buffer.count) > 0 {}
    }
  }
}
