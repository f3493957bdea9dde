internal import DepotLinux
internal import DepotProtocol

/// The files of an unfinished export of a whole store.
///
/// They get their names when all of them are complete. While the export runs, the schema's file is
/// locked.
struct ExportDraft {
  /// The suffix of their names.
  static let suffix = ".part"
  /// The name of the file of the schema.
  static let schemaName = "schema.json"

  private let lock: Descriptor

  /// Begins an export into a folder.
  ///
  /// - Throws: ``DepotError`` `unavailable.busy` if another one is being written there, and `storage.io`.
  init(_ folder: String) throws(DepotError) {
    let path = "\(folder)/\(Self.schemaName)\(Self.suffix)"
    lock = try attempt("The file \(path) can't be created") { () throws(SystemError) in
      try Descriptor.open(file: path, isWritable: true, creatingWithMode: 0o600)
    }
    guard (try? lock.lock(0..<1, exclusively: true)) != nil else {
      throw DepotError(.busy, "Another export is being written to \(folder).")
    }
  }

  /// Holds the lock until here.
  func end() { withExtendedLifetime(lock) {} }

  /// Returns the paths of files left in a folder by a killed export.
  static func left(in folder: String) -> [String] {
    let schema = "\(folder)/\(schemaName)\(suffix)"
    guard FileSystem.size(of: schema) != nil, !FileSystem.isOtherThanFile(schema),
      let file = try? Descriptor.open(file: schema, isWritable: true),
      (try? file.lock(0..<1, exclusively: true)) != nil
    else { return [] }
    let names = FileSystem.entries(of: folder).filter { $0.hasSuffix(".ndjson" + suffix) }
    let paths = names.sorted().map { "\(folder)/\($0)" }
    return paths.filter { !FileSystem.isOtherThanFile($0) } + [schema]
  }
}
