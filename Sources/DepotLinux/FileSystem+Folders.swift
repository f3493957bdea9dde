internal import CDepotLinux
internal import Glibc

extension FileSystem {
  /// Removes a file if it exists.
  ///
  /// The corresponding C function is `unlink`.
  package static func remove(file path: String) { unlink(path) }

  /// Removes a folder and its files; a folder that contains folders stays, with them.
  package static func remove(folderWithFiles path: String) {
    for name in entries(of: path) { unlink(path + "/" + name) }
    rmdir(path)
  }

  /// Returns the names in a folder; empty if it can't be read.
  package static func entries(of folder: String) -> [String] {
    guard let stream = opendir(folder) else { return [] }
    defer { closedir(stream) }
    var names: [String] = []
    while let entry = readdir(stream) {
      let name = withUnsafeBytes(of: &entry.pointee.d_name) { bytes in
        String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
      }
      if name != ".", name != ".." { names.append(name) }
    }
    return names
  }

  /// Creates a new folder with access for its owner only; it must not exist.
  ///
  /// The corresponding C function is `mkdir`.
  package static func createNewPrivateFolder(_ path: String) throws(SystemError) {
    try systemCall("mkdir") { mkdir(path, 0o700) }
  }

  /// Renames a file or folder.
  ///
  /// The corresponding C function is `rename`.
  package static func rename(_ path: String, to other: String) throws(SystemError) {
    try systemCall("rename") { Glibc.rename(path, other) }
  }

  /// Renames a file or folder within its folder, and flushes the change to disk.
  package static func renameDurably(_ path: String, to other: String) throws(SystemError) {
    try rename(path, to: other)
    try flush(folderOf: other)
  }

  /// Returns the first of `name1`, `name2`, and so on that isn't in use.
  package static func freeName(_ name: String) -> String {
    var number = 1
    while size(of: "\(name)\(number)") != nil { number += 1 }
    return "\(name)\(number)"
  }

  /// Gives a file an additional name (a hard link).
  ///
  /// The corresponding C function is `link`.
  package static func link(_ path: String, to other: String) throws(SystemError) {
    try systemCall("link") { Glibc.link(path, other) }
  }

  /// Flushes the folder of a file to disk, and so the names in it.
  ///
  /// The corresponding C function is `fsync`.
  package static func flush(folderOf path: String) throws(SystemError) {
    let folder = divided(path).folder
    let descriptor = Descriptor(
      try systemCall("open") { depot_open(folder, O_RDONLY | O_DIRECTORY, 0) }
    )
    try systemCall("fsync") { fsync(descriptor.number) }
  }

  /// Splits the path of a file into its folder's path and its name.
  private static func divided(_ path: String) -> (folder: String, name: Substring) {
    guard let slash = path.lastIndex(of: "/") else { return (".", path[...]) }
    let folder = slash == path.startIndex ? "/" : String(path[..<slash])
    return (folder, path[path.index(after: slash)...])
  }

  /// The size of a file in bytes, or `nil` if it doesn't exist.
  ///
  /// It doesn't open the file: closing it would release SQLite's locks on it.
  package static func size(of path: String) -> Int? {
    var status = stat()
    return lstat(path, &status) == 0 ? Int(status.st_size) : nil
  }

  /// Whether a file has further names, as hard links.
  package static func hasOtherNames(_ path: String) -> Bool {
    var status = stat()
    return stat(path, &status) == 0 && status.st_nlink > 1
  }

  /// Whether `path` is a device, a pipe, a symbolic link, or anything but a regular file.
  ///
  /// No file may replace it then.
  package static func isOtherThanFile(_ path: String) -> Bool {
    var status = stat()
    return lstat(path, &status) == 0 && status.st_mode & S_IFMT != S_IFREG
  }

  /// The bytes that this user can still write on a file's file system; `nil` if it is unknown.
  ///
  /// The corresponding C function is `statvfs`.
  package static func freeBytes(at path: String) -> Int? {
    let bytes = depot_free_bytes(path)
    return bytes < 0 ? nil : Int(bytes)
  }

  /// Whether a file's file system is read-only.
  ///
  /// The corresponding C function is `statvfs`.
  package static func isReadOnly(at path: String) -> Bool { depot_is_read_only(path) == 1 }

  /// Returns whether two paths are the same file, as two hard links are.
  ///
  /// The corresponding C function is `lstat`.
  package static func isSameFile(_ path: String, _ other: String) -> Bool {
    FileIdentity(path).map { $0 == FileIdentity(other) } ?? false
  }

  /// Returns the absolute path of an existing file, without links; `nil` if it doesn't exist.
  ///
  /// The corresponding C function is `realpath`.
  package static func destination(of path: String) -> String? {
    guard let resolved = PathText.withBytes(path, { realpath($0, nil) }) else { return nil }
    defer { free(resolved) }
    return PathText.text(ofArgument: resolved)
  }

  /// Returns the absolute path of a file in an existing folder, without symbolic links in between.
  ///
  /// The file itself may be missing. The corresponding C function is `realpath`.
  package static func resolved(_ path: String) -> String? {
    let (folder, name) = divided(path)
    return destination(of: folder).map { $0 == "/" ? "/\(name)" : "\($0)/\(name)" }
  }
}
