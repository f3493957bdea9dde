internal import CDepotLinux
internal import Glibc

extension FileSystem {
  /// Removes a file, if there is one.
  ///
  /// The corresponding C function is `unlink`.
  package static func remove(file path: String) { unlink(path) }

  /// Removes a folder and the files in it; folders in it are left, and so is then the folder itself.
  package static func remove(folderWithFiles path: String) {
    for name in entries(of: path) { unlink(path + "/" + name) }
    rmdir(path)
  }

  /// Returns the names in a folder; none if it can't be read.
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

  /// Creates a folder for its owner only, which must be missing.
  ///
  /// The corresponding C function is `mkdir`.
  package static func createNewPrivateFolder(_ path: String) throws(SystemError) {
    try systemCall("mkdir") { mkdir(path, 0o700) }
  }

  /// Gives a file or folder another name.
  ///
  /// The corresponding C function is `rename`.
  package static func rename(_ path: String, to other: String) throws(SystemError) {
    try systemCall("rename") { Glibc.rename(path, other) }
  }

  /// Gives a file or folder another name in the same folder, and waits until that is on disk.
  package static func renameDurably(_ path: String, to other: String) throws(SystemError) {
    try rename(path, to: other)
    try flush(folderOf: other)
  }

  /// Returns the first of `name1`, `name2`, and so on that no file has.
  package static func freeName(_ name: String) -> String {
    var number = 1
    while size(of: "\(name)\(number)") != nil { number += 1 }
    return "\(name)\(number)"
  }

  /// Gives a file another name besides its own.
  ///
  /// The corresponding C function is `link`.
  package static func link(_ path: String, to other: String) throws(SystemError) {
    try systemCall("link") { Glibc.link(path, other) }
  }

  /// Waits until the names of the files beside a file are on disk.
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

  /// The size of a file in bytes, or `nil` if there is none.
  ///
  /// It opens nothing: closing a file would end SQLite's locks on it.
  package static func size(of path: String) -> Int? {
    var status = stat()
    return lstat(path, &status) == 0 ? Int(status.st_size) : nil
  }

  /// Whether there is something at `path` that isn't a regular file, as a device, a pipe, or a symbolic link, in
  /// whose place no file may be put.
  package static func isOtherThanFile(_ path: String) -> Bool {
    var status = stat()
    return lstat(path, &status) == 0 && status.st_mode & S_IFMT != S_IFREG
  }

  /// How many bytes this user can still write on the file system of a file, or `nil` if it doesn't say.
  ///
  /// The corresponding C function is `statvfs`.
  package static func freeBytes(at path: String) -> Int? {
    let bytes = depot_free_bytes(path)
    return bytes < 0 ? nil : Int(bytes)
  }

  /// Whether nothing can be written on the file system of a file.
  ///
  /// The corresponding C function is `statvfs`.
  package static func isReadOnly(at path: String) -> Bool { depot_is_read_only(path) == 1 }

  /// Returns whether two paths lead to the same file, which then has several names.
  ///
  /// The corresponding C function is `lstat`.
  package static func isSameFile(_ path: String, _ other: String) -> Bool {
    FileIdentity(path).map { $0 == FileIdentity(other) } ?? false
  }

  /// Returns the absolute path of a file that exists, without links; `nil` if there is none.
  ///
  /// The corresponding C function is `realpath`.
  package static func destination(of path: String) -> String? {
    guard let resolved = PathText.withBytes(path, { realpath($0, nil) }) else { return nil }
    defer { free(resolved) }
    return PathText.text(ofArgument: resolved)
  }

  /// Returns the absolute path of a file in a folder that exists, without links on the way to it.
  ///
  /// The file itself may be missing. The corresponding C function is `realpath`.
  package static func resolved(_ path: String) -> String? {
    let (folder, name) = divided(path)
    return destination(of: folder).map { $0 == "/" ? "/\(name)" : "\($0)/\(name)" }
  }
}
