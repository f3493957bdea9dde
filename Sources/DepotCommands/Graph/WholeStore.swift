internal import DepotClient
internal import DepotLinux
internal import DepotProtocol

/// A folder with all that a store holds: `schema.json`, and a file of NDJSON for each entity.
struct WholeStore {
  private let folder: String
  private let session: Session

  init(_ folder: String, _ session: Session) {
    self.folder = folder
    self.session = session
  }

  private func path(_ entity: String) -> String { "\(folder)/\(entity).ndjson" }

  /// Writes the folder.
  ///
  /// - Parameter isOneMoment: Whether all files are of one moment.
  /// - Returns: The status of the program.
  /// - Throws: ``DepotError`` `stream.expired` if the service doesn't keep the moment long enough.
  func export(isOneMoment: Bool) throws -> Int32 {
    let connection = try session.connect()
    guard isOneMoment else { return try export(connection) }
    do {
      return try connection.withSnapshot { try export($0) }
    } catch let error as DepotError where error.code == .streamExpired {
      throw DepotError(.streamExpired, "The export took longer than the service keeps a moment.")
        .hint("Start depotd with a longer --pin-ms, or export with --no-snapshot.")
    }
  }

  private func export(_ connection: BlockingConnection) throws -> Int32 {
    let schema = try connection.schema()
    FileSystem.createPrivateFolder(folder)
    let document = try sink("\(folder)/schema.json")
    document.append(PrettyJSON.text(of: Array(schema.json.utf8)) + "\n")
    try document.flush()
    let export = try StoreExport(schema) { request, body in
      try Self.fetch(request, connection, body)
    }
    var count = 0
    for file in export.plan.files {
      let sink = try sink(path(file.entity))
      try export.lines(file) { line in
        sink.bytes += line
        count += 1
        try sink.flushIfLarge()
      }
      try sink.flush()
    }
    session.say("\(Numbers.counted(count, "row")) in \(folder)")
    return 0
  }

  private func sink(_ path: String) throws(DepotError) -> ByteSink {
    do throws(SystemError) {
      return ByteSink(try Descriptor.create(path: path))
    } catch {
      throw DepotError(.io, "The file \(path) can't be created (\(error)).")
    }
  }

  private static func fetch(
    _ request: FetchRequest,
    _ connection: BlockingConnection,
    _ body: (Int64, [String: [UInt8]]) throws -> Void
  ) throws {
    var columns: [String] = []
    _ = try withoutActuallyEscaping(body) { body in
      try connection.perform(.fetch(request)) { frame in
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

  /// Reads the folder into a store, which gets its schema if it has none.
  ///
  /// - Parameters:
  ///   - options: How rows are stored.
  ///   - journal: The file that makes it possible to go on after an interruption.
  /// - Returns: The exit status.
  /// - Throws: ``DepotError`` of what can't be read or stored.
  func importAll(_ options: GraphImporter.Options, journal: String?) throws -> Int32 {
    let schema = try SchemaFile.read("\(folder)/schema.json")
    let connection = try session.connect()
    _ = try connection.define(schema)
    let meter = ProgressMeter(session.messages, isOn: !session.isQuiet)
    defer { meter.finish() }
    let importing = StoreImport(
      schema,
      ConnectedGraphService(connection: connection),
      options
    ) { entity in try InputFile(path(entity)) }
    if let journal {
      let files = ExportPlan(schema).files.map { path($0.entity) }
      let source = try ImportJournal.fingerprint(
        of: ["\(folder)/schema.json"] + files,
        facts: "\(options.batch) \(options.onConflict)"
      )
      let (journal, history) = try ImportJournal.open(path: journal, source: source)
      importing.resume(journal, history, keyPrefix: "import:\(source)")
    }
    try importing.run { meter.draw(rows: $0, fraction: nil) }
    meter.finish()
    session.say(ImportVerb.summary(importing.outcome, seconds: meter.seconds))
    return 0
  }
}

/// The import of all files of an export: first all rows, then what had to wait.
final class StoreImport {
  private let schema: Schema
  private let service: any GraphService
  private var options: GraphImporter.Options
  private let open: (String) throws -> InputFile
  private var journal: ImportJournal?
  private var history = ImportJournal.History()
  /// How many rows were stored.
  private(set) var outcome = Importer.Outcome()

  /// Creates an import.
  ///
  /// - Parameters:
  ///   - schema: The schema of the files.
  ///   - service: Where rows are stored.
  ///   - options: How they are stored.
  ///   - open: Opens the file of an entity.
  init(
    _ schema: Schema,
    _ service: any GraphService,
    _ options: GraphImporter.Options,
    open: @escaping (String) throws -> InputFile
  ) {
    self.schema = schema
    self.service = service
    self.options = options
    self.open = open
  }

  /// Has the import note its progress, and go on from what one that was interrupted has noted.
  ///
  /// - Parameters:
  ///   - journal: Where progress is noted.
  ///   - history: What was noted before.
  ///   - keyPrefix: What the idempotency keys begin with, the same for each run.
  func resume(_ journal: ImportJournal, _ history: ImportJournal.History?, keyPrefix: String) {
    self.journal = journal
    self.history = history ?? ImportJournal.History()
    options.keyPrefix = keyPrefix
  }

  /// Imports all files.
  ///
  /// - Parameter progress: Hears how many rows are stored.
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
        format: .ndjson,
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
      let state = history.files[file.entity] ?? ImportJournal.State()
      let handled = state.handled.union(state.pending?.records ?? [])
      try located(file.entity) {
        try journal?.enter(file.entity)
        try importer.resume(state)
        try source.read(
          try open(file.entity),
          skip: handled.contains,
          refuse: importer.refuse(_:index:line:input:),
          { record in
            try importer.add(record)
            progress(outcome.inserted + importer.outcome.inserted)
          }
        )
        try importer.finishRows()
      }
      outcome.inserted += importer.outcome.inserted
      waiting.append((source, importer))
    }
    for (source, importer) in waiting where !importer.deferred.isEmpty {
      try located(source.entity.name) {
        try journal?.enter(source.entity.name)
        try link(source, importer)
      }
    }
  }

  private func link(_ source: GraphSource, _ importer: GraphImporter) throws {
    var batch: [GraphRecord] = []
    let deferred = importer.deferred
    try source.read(
      try open(source.entity.name),
      skip: { deferred[$0] == nil },
      refuse: importer.refuse(_:index:line:input:),
      { record in
        batch.append(record)
        if batch.count < options.batch { return }
        try importer.link(batch)
        batch = []
      }
    )
    try importer.link(batch)
  }

  private func located(_ entity: String, _ body: () throws -> Void) throws {
    do {
      try body()
    } catch var error as DepotError {
      error.at = "\(entity).ndjson" + (error.at.map { ", \($0)" } ?? "")
      throw error
    }
  }
}
