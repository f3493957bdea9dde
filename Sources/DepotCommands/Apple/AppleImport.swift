internal import DepotClientCore
internal import DepotLinux
internal import DepotProtocol

/// The import of a store that SwiftData or Core Data made on a Mac.
///
/// `depotd` converts the file to plain tables; they are converted to an export, which
/// ``WholeStore`` reads.
@Memberwise("file", "session")
struct AppleImport {
  private let file: String
  private let session: CommandSession

  /// Imports the store.
  ///
  /// - Parameters:
  ///   - schemaFile: The file of the schema; the store's model, or its tables, if `nil`.
  ///   - options: How rows are stored.
  /// - Throws: ``DepotError`` `request.usage` if the file is no such store, `request.type` of a
  ///   value that isn't of its attribute's type, or an error of the import.
  func run(schemaFile: String?, _ options: GraphImporter.Options) throws {
    try PrivateFolder.with("depot-import") { folder in
      _ = try ServiceTool(
        ["--read-tables", file, "--into", try folder.made("tables"), "--report-start"]
      ).result()
      let tables = try AppleTables(folder.path + "/tables")
      let schema =
        try schemaFile.map { try SchemaFile.read($0) } ?? AppleModel(tables)?.schema(tables)
        ?? AppleInference(tables).schema()
      let store = try AppleStore(tables, schema, support: AppleSupport(of: file))
      let export = try StoreExport(schema) { request, body in try store.fetch(request, body) }
      let target = try folder.made("export")
      _ = try export.write(to: target)
      if store.danglingCount > 0 {
        session.say(
          "\(Numbers.counted(store.danglingCount, "reference")) led to rows that aren't there; "
            + "they are left out."
        )
      }
      let missing = tables.entities.filter { entity in
        !schema.entities.contains { $0.name == entity.name || $0.originalName == entity.name }
      }
      if !missing.isEmpty {
        let names = missing.map(\.name).joined(separator: ", ")
        session.say("Left out, since the schema hasn't got them: \(names).")
      }
      try WholeStore(target, session).importAll(options, journal: nil)
    }
  }
}
