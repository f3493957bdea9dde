internal import CDepotLinux
internal import Glibc

/// Notices that something happened to the names of files, as something to read (inotify(7)).
///
/// They say when to look, without details.
package struct FileNotices: Sendable {
  package let descriptor: Descriptor

  /// - Throws: ``SystemError`` if this user has too many of them already.
  package init() throws(SystemError) {
    descriptor = Descriptor(
      try systemCall("inotify_init1") { inotify_init1(Int32(IN_CLOEXEC) | Int32(IN_NONBLOCK)) }
    )
  }

  /// Has a notice come when the file, or a folder above it, gets another name or none.
  package func watch(_ file: KeptFile) {
    // A file that is open and loses its name has another number of links.
    let events = UInt32(IN_ATTRIB) | UInt32(IN_MOVE_SELF) | UInt32(IN_DELETE_SELF)
    inotify_add_watch(descriptor.number, file.path, events)
    var folder = (FileSystem.resolved(file.path) ?? file.path)[...]
    while let slash = folder.lastIndex(of: "/"), slash > folder.startIndex {
      folder = folder[..<slash]
      let events = UInt32(IN_MOVE_SELF) | UInt32(IN_DELETE_SELF)
      inotify_add_watch(descriptor.number, String(folder), events)
    }
  }

  /// Takes all notices that have come.
  package func takeAll() {
    withUnsafeTemporaryAllocation(byteCount: 4096, alignment: 8) { buffer in
      while read(descriptor.number, buffer.baseAddress, buffer.count) > 0 {}
    }
  }
}
