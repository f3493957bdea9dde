internal import DepotClient
internal import DepotLinux
internal import DepotProtocol

/// The import of one file of related records, from the command line.
struct GraphImport {
  /// What is imported, and how.
  struct Plan {
    var source: GraphSource
    var options = GraphImporter.Options()
    /// The file for rejects.
    var rejects: String?
    /// The file that makes it possible to go on after an interruption.
    var journal: String?
    /// What of the command line decides what becomes of the records.
    var description = ""
  }

  private let connection: BlockingConnection
  private let plan: Plan
  private let session: Session

  init(_ connection: BlockingConnection, _ plan: Plan, _ session: Session) {
    self.connection = connection
    self.plan = plan
    self.session = session
  }

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

  /// Imports the file and returns the exit status.
  func run() throws -> Int32 {
    let meter = ProgressMeter(session.messages, isOn: !session.isQuiet)
    defer { meter.finish() }
    let file = try InputFile(plan.source.path)
    var options = plan.options
    options.keepsDeferred = file.fraction == nil
    let (journal, state) = try openJournal(&options)
    let rejects = try plan.rejects.map { path throws(DepotError) in
      try RejectsFile(path: path, keepsOld: !(state?.handled.isEmpty ?? true))
    }
    let importer = GraphImporter(
      options,
      ConnectedGraphService(connection: connection),
      rejects: rejects,
      journal: journal
    )
    if let state { try importer.resume(state) }
    let handled = (state?.handled ?? []).union(state?.pending?.records ?? [])
    try plan.source.read(
      file,
      skip: handled.contains,
      refuse: importer.refuse(_:index:line:input:)
    ) { record in
      try importer.add(record)
      meter.draw(rows: importer.outcome.rows, fraction: file.fraction)
    }
    try importer.finishRows()
    try link(importer, meter)
    try rejects?.finish()
    meter.finish()
    session.say(ImportVerb.summary(importer.outcome, seconds: meter.seconds))
    return importer.outcome.exitStatus
  }

  /// Links what had to wait, reading the file again.
  private func link(_ importer: GraphImporter, _ meter: ProgressMeter) throws {
    guard !importer.deferred.isEmpty else { return }
    var batch = importer.kept
    func flush(_ limit: Int) throws {
      guard batch.count >= limit else { return }
      try importer.link(batch)
      batch = []
    }
    if batch.isEmpty {
      let deferred = importer.deferred
      let file = try InputFile(plan.source.path)
      try plan.source.read(
        file,
        skip: { deferred[$0] == nil },
        refuse: importer.refuse(_:index:line:input:),
        { record in
          batch.append(record)
          try flush(plan.options.batch)
          meter.draw(rows: importer.outcome.rows, fraction: file.fraction)
        }
      )
    }
    try flush(1)
  }

  /// Opens the journal, and returns what an interrupted import has noted in it.
  private func openJournal(
    _ options: inout GraphImporter.Options
  ) throws(DepotError) -> (ImportJournal?, ImportJournal.State?) {
    guard let path = plan.journal else { return (nil, nil) }
    guard !options.keepsDeferred else {
      throw DepotError(.usage, "Only the import of a file can be resumed.")
    }
    let style = plan.source.style
    let source = try ImportJournal.fingerprint(
      of: [plan.source.path],
      facts: "\(plan.source.entity.name) \(plan.description) \(style.listSeparator) "
        + "\(style.ignoresUnknown) \(style.nullText ?? "")"
    )
    options.keyPrefix = "import:\(source)"
    let (journal, history) = try ImportJournal.open(path: path, source: source)
    return (journal, history.map { $0.files[""] ?? ImportJournal.State() })
  }
}
