internal import DepotLinux
internal import DepotProtocol

/// The import of one file of related records, from the command line.
struct GraphImport {
  let connection: ImportConnection
  let session: CommandSession
  let source: GraphSource
  let options: GraphImporter.Options
  /// The path of the file for rejects.
  let rejects: String?
  /// The path of the journal, which lets the import continue after an interruption.
  let journal: String?
  /// The options of the command line that affect the outcome.
  let description: String

  /// Whether the records of an entity can't simply become rows.
  static func isNeeded(_ entity: Entity, _ schema: Schema) -> Bool {
    let isPlain =
      entity.parent == nil && entity.relationships.isEmpty
      && schema.descendants(of: entity.name).isEmpty
      && entity.attributes.allSatisfy {
        $0.type.isScalar && $0.collection == nil && $0.options.isEmpty
      }
    return !isPlain
  }

  /// Imports the file of records that can simply become rows.
  func runPlainly() throws {
    let meter = session.meter()
    defer { meter.finish() }
    let file = try InputFile(source.path, session.interruption)
    let rejects = try rejectsFile()
    var done = 0
    let importer = Importer(
      source,
      options,
      rejects: rejects,
      begin: { request in
        connection.begin(request)
        done += request.rows.count
      },
      finish: {
        defer { meter.draw(rows: done, fraction: file.fraction) }
        return try connection.finishRows()
      }
    )
    try importer.add(file)
    try ImportSummary.end(importer.outcome, of: source.entity.name, meter, session)
  }

  /// Imports the file.
  func run() throws {
    let meter = session.meter()
    defer { meter.finish() }
    let file = try InputFile(source.path, session.interruption)
    var options = options
    // Standard input can't be read again, even if it is a file.
    options.keepsDeferred = source.path == "-" || file.fraction == nil
    if !options.keepsDeferred { options.missing = try checkLinks() }
    let (journal, state) = try openJournal(&options)
    let rejects = try rejectsFile(keepsOld: !(state?.handled.isEmpty ?? true))
    let importer = GraphImporter(
      options,
      ConnectedGraphService(connection: connection),
      rejects: rejects,
      journal: journal
    )
    try importer.add(source, from: file, after: state) {
      meter.draw(rows: importer.outcome.rows, fraction: file.fraction)
    }
    if !importer.kept.isEmpty {
      try importer.link(importer.kept)
    } else if !importer.deferred.isEmpty {
      let file = try InputFile(source.path, session.interruption)
      try importer.link(source, from: file) {
        meter.draw(rows: importer.outcome.rows, fraction: file.fraction)
      }
    }
    try rejects?.finish()
    try ImportSummary.end(importer.outcome, of: source.entity.name, meter, session)
  }

  /// Creates the file for rejects, or appends to the old one, if rejects are wanted.
  private func rejectsFile(keepsOld: Bool = false) throws(DepotError) -> RejectsFile? {
    guard let path = rejects else { return nil }
    if path == "-" { return RejectsFile(session.output) }
    return try RejectsFile(path: path, source: source.path, keepsOld: keepsOld)
  }

  /// Checks that all referenced rows exist, unless an option says how to treat missing ones.
  ///
  /// - Returns: The references to missing rows if records can be rejected.
  private func checkLinks() throws -> [NaturalKey: Set<Value>] {
    let entities = [source.entity] + source.schema.descendants(of: source.entity.name)
    guard !options.ignoresMissing,
      entities.contains(where: { !source.schema.relationships(of: $0).isEmpty }),
      rejects != nil || !isBegun
    else { return [:] }
    let nothing = Importer.Outcome()
    var check = LinkCheck()
    try source.read(
      try InputFile(source.path, session.interruption),
      skip: { _ in false },
      refuse: { error, _, line, _ in
        if rejects == nil { throw nothing.located(error, line: line) }
      },
      { check.add($0) }
    )
    let missing = try check.missing(ConnectedGraphService(connection: connection))
    if rejects == nil, let (error, line) = check.error(missing) {
      throw nothing.located(error, line: line)
    }
    return missing
  }

  /// Whether there is a journal, because the import was interrupted.
  private var isBegun: Bool {
    journal.map { FileSystem.contents(of: $0, limit: 1 << 32)?.isEmpty == false } ?? false
  }

  /// Opens the journal, and returns the state of an interrupted import from it.
  private func openJournal(
    _ options: inout GraphImporter.Options
  ) throws -> (ImportJournal?, ImportJournal.State?) {
    guard let path = journal else { return (nil, nil) }
    guard !options.keepsDeferred else {
      throw DepotError(.usage, "Only the import of a file can be resumed.")
    }
    let style = source.style
    let fingerprint = try ImportJournal.fingerprint(
      of: [source.path],
      facts: "\(source.entity.name) \(description) \(style.listSeparator) "
        + "\(style.ignoresUnknown) \(style.nullText ?? "") \(source.form) "
        + "\(style.map.paths.sorted { $0.key < $1.key })"
    )
    let (journal, history) = try ImportJournal.open(
      path: path,
      source: fingerprint,
      stores: Set(source.stores.values).sorted(),
      group: session.group ?? "",
      beginsAgain: session.invocation.has(ImportJournal.beginAgain)
    )
    options.keyPrefix = "import:\(journal.group.isEmpty ? fingerprint : journal.group)"
    if !journal.group.isEmpty { connection.use(group: journal.group) }
    if let history {
      let check = JournalCheck(path: path, connection: connection)
      if let note = try check.run(history, entity: source.entity.name) { session.say(note) }
    }
    return (journal, history.map { $0.files[""] ?? ImportJournal.State() })
  }
}
