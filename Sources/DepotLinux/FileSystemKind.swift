/// A kind of file system.
package enum FileSystemKind: Hashable, Sendable {
  /// A file system whose locks and flushes are unreliable, by its name.
  case unsuitable(String)
  case local

  init(type: Int) {
    // statfs(2) lists these numbers.
    let names = [
      0x6969: "NFS", 0xFF53_4D42: "CIFS", 0xFE53_4D42: "SMB2", 0x517B: "SMB", 0x6573_5546: "FUSE",
      0x0102_1997: "9p", 0x00C3_6400: "Ceph", 0x5346_414F: "AFS",
    ]
    self = names[type & 0xFFFF_FFFF].map(FileSystemKind.unsuitable) ?? .local
  }
}
