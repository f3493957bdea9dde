internal import DepotClientCore
internal import DepotLinux
internal import DepotProtocol

/// A folder with a whole store: `schema.json`, and a file of NDJSON for each entity.
@Memberwise("folder", "session")
struct WholeStore {
  private let folder: String
  private let session: CommandSession

  private func path(_ entity: String) -> String { "\(folder)/\(entity).ndjson" }

  /// Writes the folder, from one snapshot if `isOneMoment`.
  ///
  /// - Throws: ``DepotError`` `stream.expired` if the service doesn't keep the snapshot long
  ///   enough.
  func export(isOneMoment: Bool) throws {
    try Self.read(session.connect(), isOneMoment: isOneMoment, export)
  }

  /// Runs `body`, whose reads share one snapshot if that is wanted.
  ///
  /// - Throws: ``DepotError`` `stream.expired` if the service doesn't keep the snapshot long
  ///   enough.
  static func read<Result>(
    _ connection: BlockingConnection,
    isOneMoment: Bool,
    _ body: (BlockingConnection) throws -> Result
  ) throws -> Result {
    guard isOneMoment else { return try body(connection) }
    do {
      return try connection.withSnapshot { try body($0) }
    } catch let error as DepotError where error.code == .streamExpired {
      throw DepotError(
        .streamExpired,
        "So much was written meanwhile that the service ended the snapshot."
      )
      .hint(
        "Export when less is written, start depotd with a greater --log-mib, or export with "
          + "--no-snapshot."
      )
    }
  }

  private func export(_ connection: BlockingConnection) throws {
    let schema = try connection.schema()
    try checkFolder()
    let isNew = (try? FileSystem.createNewPrivateFolder(folder)) != nil
    if !isNew { try? FileSystem.createPrivateFolder(folder) }
    var isWhole = false
    defer {
      if isNew, !isWhole { FileSystem.remove(folderWithFiles: folder) }
    }
    let draft = try ExportDraft(folder)
    defer { draft.end() }
    let export = try StoreExport(schema) { request, body in
      try Self.fetch(request, connection, body)
    }
    let files = export.plan.files.map { path($0.entity) }
    defer {
      if !isWhole {
        for path in files + [schemaPath] { FileSystem.remove(file: path + Self.partial) }
      }
    }
    let count = try export.write(to: folder, suffix: Self.partial)
    try publish(files)
    isWhole = true
    session.say("\(Numbers.counted(count, "row")) in \(folder)")
  }

  private static let partial = ExportDraft.suffix

  private var schemaPath: String { "\(folder)/\(ExportDraft.schemaName)" }

  /// Replaces an earlier export by the new files, which are complete now.
  ///
  /// A folder without a schema isn't an export, so an interruption here can't leave a mixed one.
  private func publish(_ files: [String]) throws(DepotError) {
    FileSystem.remove(file: schemaPath)
    for name in FileSystem.entries(of: folder) where name.hasSuffix(".ndjson") {
      FileSystem.remove(file: "\(folder)/\(name)")
    }
    for path in files + [schemaPath] {
      try attempt("The file \(path) can't be created") { () throws(SystemError) in
        try FileSystem.rename(path + Self.partial, to: path)
      }
    }
  }

  /// - Throws: ``DepotError`` `request.usage` if the folder has any file that isn't of an earlier
  ///   export.
  private func checkFolder() throws(DepotError) {
    let names = FileSystem.entries(of: folder).filter {
      ![".", ".."].contains($0) && !$0.hasSuffix(Self.partial)
    }
    guard !names.isEmpty else { return }
    let isExport =
      names.allSatisfy { $0 == "schema.json" || $0.hasSuffix(".ndjson") }
      && (try? SchemaFile.read(schemaPath)) != nil
    guard isExport else {
      throw DepotError(.usage, "The folder \(folder) has files that aren't an earlier export.")
        .hint("Name a new folder, or empty that one.")
    }
  }

  /// Fetches rows and passes them to a function, with the JSON of their values by columns.
  static func fetch(
    _ request: FetchRequest,
    _ connection: BlockingConnection,
    _ body: (Int64, [String: [UInt8]]) throws -> Void
  ) throws {
    var columns: [String] = []
    _ = try withoutActuallyEscaping(body) { body in
      try connection.send(.fetch(request)) { frame in
        if let names = frame.columns { columns = Array(names.dropFirst(2)) }
        try frame.withRows(hasIdentity: true) { row in
          let identifier = row.identifier
          var values: [String: [UInt8]] = [:]
          for name in columns where !row.isAtEndOfRow() { values[name] = try row.field().json }
          try body(identifier, values)
        }
      }
    }
  }

  /// Imports the folder into a store, which gets its schema if it has none.
  ///
  /// A journal notes the progress.
  func importAll(_ options: GraphImporter.Options, journal: String?) throws {
    let schema = try SchemaFile.read(schemaPath)
    let connection = try session.connect()
    _ = try connection.define(schema, from: nil, allowing: .additions)
    let meter = session.meter()
    defer { meter.finish() }
    let importConnection = ImportConnection(connection, session)
    let importing = StoreImport(
      schema,
      ConnectedGraphService(connection: importConnection),
      options
    ) { entity in try InputFile(self.path(entity), session.interruption) }
    if let path = journal {
      let files = ExportPlan(schema).files.map { self.path($0.entity) }
      let source = try ImportJournal.fingerprint(
        of: [schemaPath] + files,
        facts: "\(options.batch) \(options.onConflict)"
      )
      let (journal, history) = try ImportJournal.open(
        path: path,
        source: source,
        stores: Set(connection.storeIdentifiers().values).sorted(),
        group: session.group ?? "",
        beginsAgain: session.invocation.has(ImportJournal.beginAgain)
      )
      if !journal.group.isEmpty { importConnection.use(group: journal.group) }
      if let history {
        let check = JournalCheck(path: path, connection: importConnection)
        if let note = try check.run(history, entity: nil) { session.say(note) }
      }
      let prefix = "import:\(journal.group.isEmpty ? source : journal.group)"
      importing.resume(journal, history, keyPrefix: prefix)
    }
    try importing.run { meter.draw(rows: $0, fraction: nil) }
    try ImportSummary.end(importing.outcome, of: nil, meter, session)
  }
}

/// The import of all files of an export: first all rows, then the deferred relationships.
@Memberwise("schema", "service", "options")
final class StoreImport {
  private let schema: Schema
  private let service: any GraphService
  private var options: GraphImporter.Options
  /// Opens the file of an entity.
  private let open: (String) throws -> InputFile
  private var journal: ImportJournal?
  private var history = ImportJournal.History()
  /// The number of stored rows.
  private(set) var outcome: Importer.Outcome = Importer.Outcome()

  /// Notes the progress, and continues from the notes of an interrupted import.
  func resume(_ journal: ImportJournal, _ history: ImportJournal.History?, keyPrefix: String) {
    self.journal = journal
    self.history = history ?? ImportJournal.History()
    options.keyPrefix = keyPrefix
  }

  /// Imports all files, and reports the number of stored rows.
  ///
  /// - Throws: ``DepotError`` of the first record that can't be stored, with its file and line.
  func run(progress: (Int) -> Void = { _ in }) throws {
    let index = KeyIndex()
    let keys = Set(schema.entities.compactMap { NaturalKey(of: $0, schema) })
    var waiting: [(source: GraphSource, importer: GraphImporter)] = []
    for file in ExportPlan(schema).files {
      let entity = try schema.entity(named: file.entity)
      let rules = try LinkRules([], of: entity, schema, usesFileIdentifiers: true)
      let source = GraphSource(
        path: file.entity,
        form: InputForm(format: .ndjson),
        entity: entity,
        schema: schema,
        rules: rules,
        style: ImportStyle(),
        keepsInput: false,
        fileKeys: keys
      )
      var options = options
      if let prefix = options.keyPrefix { options.keyPrefix = "\(prefix):\(file.entity)" }
      let importer = GraphImporter(options, service, journal: journal, index: index)
      try located(file.entity) {
        try journal?.enter(file.entity)
        let state = history.files[file.entity]
        try importer.add(source, from: open(file.entity), after: state) {
          progress(outcome.inserted + importer.outcome.inserted)
        }
      }
      outcome.add(importer.outcome)
      waiting.append((source, importer))
    }
    for (source, importer) in waiting where !importer.deferred.isEmpty {
      try located(source.entity.name) {
        try journal?.enter(source.entity.name)
        try importer.link(source, from: open(source.entity.name))
      }
    }
  }

  private func located(_ entity: String, _ body: () throws -> Void) throws {
    do {
      try body()
    } catch var error as DepotError {
      error.at = "\(entity).ndjson" + (error.at.map { ", \($0)" } ?? "")
      // Options for the import of one file don't exist here.
      if [GraphReference.missingAdvice, ImportAdvice.rejects].contains(error.hint) {
        error.hint = "Is the folder all of an export, as depot export --all has written it?"
      }
      throw error
    }
  }
}
