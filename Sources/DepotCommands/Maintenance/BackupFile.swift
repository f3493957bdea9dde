internal import DepotClientCore
internal import DepotLinux
internal import DepotProtocol

/// The file of a backup, which gets its name only when it is complete and verified.
struct BackupFile {
  /// The suffix of an incomplete file's name.
  private static let partial = ".part"

  private let path: String
  private let draft: String
  private let descriptor: Descriptor

  /// Creates the file under another name.
  ///
  /// - Throws: ``DepotError`` `request.usage` if the name belongs to a file that isn't a backup,
  ///   `unavailable.busy` if another backup is being written there, and `storage.io`.
  init(_ path: String) throws(DepotError) {
    try Self.checkEarlier(path)
    self.path = path
    draft = path + Self.partial
    let name = draft
    if let earlier = try? Descriptor.open(file: name, isWritable: true) {
      guard Self.isLocked(earlier) else {
        throw DepotError(.busy, "Another backup is being written to \(path).")
      }
      Self.remove(name)
    } else {
      // It may be left from a backup that was killed after the file got its name.
      Self.remove(name)
    }
    descriptor = try attempt("The file \(name) can't be created") { () throws(SystemError) in
      try Descriptor.open(file: name, isWritable: true, creatingWithMode: 0o600)
    }
    // Another backup may have renamed its file meanwhile, and this descriptor is of that file.
    let opened = FileSystem.destination(of: "/proc/self/fd/\(descriptor.number)")
    guard Self.isLocked(descriptor), opened == FileSystem.destination(of: name) else {
      throw DepotError(.busy, "Another backup is being written to \(path).")
    }
  }

  /// Refuses to overwrite a file that isn't a backup.
  private static func checkEarlier(_ path: String) throws(DepotError) {
    let refusal = DepotError(.usage, "\(path) is there, and is no earlier backup.")
      .hint("Choose another name, or remove the file.")
    guard !FileSystem.isOtherThanFile(path) else { throw refusal }
    guard let size = FileSystem.size(of: path), size > 0 else { return }
    let head = try attempt("The file \(path) can't be read") { () throws(SystemError) in
      try StoredFile(path: path).read(72, at: 0)
    }
    guard head.count == 72, head.starts(with: "SQLite format 3\0".utf8),
      head.suffix(4).elementsEqual("DPOT".utf8)
    else { throw refusal }
    // A service's store has a stamp in place of SQLite's change counter, and a state file beside
    // it; a backup has neither.
    guard FileSystem.size(of: path + ".state") == nil, head[24..<28].allSatisfy({ $0 == 0 }) else {
      throw DepotError(.usage, "\(path) is a store that a service has, or had.")
        .hint("Choose another name: the backup goes there. Of several stores, --store names one.")
    }
  }

  /// Whether a file is an unfinished backup or export of tables that no program is writing.
  static func isLeft(_ path: String) -> Bool {
    guard path.hasSuffix(partial), !FileSystem.isOtherThanFile(path),
      let head = try? StoredFile(path: path).read(72, at: 0), head.count == 72,
      head.starts(with: "SQLite format 3\0".utf8),
      ["DPOT", "DPTX"].contains(where: { head.suffix(4).elementsEqual($0.utf8) }),
      let file = try? Descriptor.open(file: path, isWritable: true)
    else { return false }
    // SQLite locks bytes after the first gigabyte.
    return isLocked(file) && (try? file.lock(1 << 30..<1 << 30 + 512, exclusively: true)) != nil
  }

  /// Removes an unfinished file and the files beside it.
  static func remove(left path: String) { remove(path) }

  private static func isLocked(_ descriptor: Descriptor) -> Bool {
    (try? descriptor.lock(0..<1, exclusively: true)) != nil
  }

  private static func remove(_ draft: String) {
    for suffix in ["", "-wal", "-journal", ".lock"] { FileSystem.remove(file: draft + suffix) }
  }

  /// Appends bytes.
  func write(_ bytes: [UInt8]) throws(DepotError) {
    do throws(SystemError) {
      try descriptor.write(bytes)
    } catch {
      throw failure(error)
    }
  }

  private func failure(_ error: SystemError) -> DepotError {
    DepotError(.init(of: error), "The file \(draft) can't be written (\(error)).")
  }

  /// Waits until the file is on disk, verifies all of it if `isProved`, and gives it its name.
  ///
  /// - Throws: ``DepotError`` `storage.corrupt` if the file on disk isn't a sound store.
  func publish(isProved: Bool) throws(DepotError) {
    do throws(SystemError) {
      try StoredFile(path: draft, isWritable: true).flush()
    } catch {
      throw failure(error)
    }
    if isProved {
      let (status, output) = try ServiceTool(["--check", "--store", draft]).finish()
      guard status == 0 else {
        let lines = String(decoding: output, as: UTF8.self).split(separator: "\n")
        throw DepotError(.corrupt, "The backup isn't sound: \(lines.first ?? "it can't be read").")
          .hint("Check the store with depot check, and the disk of \(path).")
      }
    }
    do throws(SystemError) {
      try FileSystem.renameDurably(draft, to: path)
    } catch {
      throw failure(error)
    }
    Self.remove(draft)
  }

  /// Removes the unfinished backup.
  func discard() { Self.remove(draft) }
}
