internal import DepotClientCore
internal import DepotProtocol

/// `depot import`: rows from a file.
enum ImportVerb {
  private static let batch: OptionSpec =
    "--batch N: rows in a transaction, at most \(Limits.rows) (default: that, or \(GraphImporter.Options().batch) if they lead to others)"
  private static let rejects: OptionSpec = "--rejects FILE|-: write bad records to FILE and go on"
  private static let all: OptionSpec = "--all: the folder of an export of a whole store"
  private static let apple: OptionSpec =
    "--apple FILE: all rows of a store that SwiftData or Core Data made, such as default.store"
  private static let schemaFile: OptionSpec =
    "--schema FILE: with --apple: the schema to read it with"
  private static let infer: OptionSpec = "--infer: with --apple: take the schema from the store"
  static let ignoreUnknown: OptionSpec =
    "--ignore-unknown: leave out members that the entity has no attribute for"

  private static let link = OptionSpec(
    "--link REL=ENTITY.KEY: the values of relationship REL are keys, as in depends=Package.name; "
      + "repeatable",
    isRepeatable: true
  )
  private static let key = OptionSpec(
    "--key REL=ENTITY.KEY: objects inside of REL that have the same key are one row; repeatable",
    isRepeatable: true
  )
  private static let listSeparator = OptionSpec(
    "--list-separator CHARACTER: the character between the values of a list in csv and tsv "
      + "(default: ;)"
  )
  private static let ignoreMissing = OptionSpec(
    "--ignore-missing: leave out links to rows that don't exist, and records that can't be "
      + "without them"
  )
  private static let resume: OptionSpec =
    "--resume JOURNAL: note progress in JOURNAL; the same command goes on after an interruption"

  static let verb = Verb(
    name: "import",
    operands: .init("ENTITY FILE|- | --all DIR | --apple FILE", 0...2, .entities, .files),
    summary: "insert the records of a file",
    details: """
      Members and columns are named as the attributes are, or --map says where they go; $id and
      $version are left out. What a record doesn't name gets its default, or null; with --on-conflict
      replace it keeps its value. An empty field of CSV is null, and one in quotation marks is the
      empty text; for a text that can't be null both are. A list is JSON, or words with ; between. A date
      is one as in 2026-05-01, 2026-05-01 13:45, or 2026-05-01T13:45:00+0200, in UTC without an offset. In CSV
      a truth value is true, TRUE, t, or 1, or else false, and spaces around numbers and dates mean nothing.
      Text is UTF-8, or UTF-16 that begins as such; lines may end with CR alone.
      Without --rejects the first bad record ends the import; what was stored before it stays.

      A relationship takes keys of the rows that it leads to, objects that are rows themselves, or
      identifiers of rows of this store, as in 42 or City/42. The key need not be named if the other
      entity has a unique attribute; if that is a number, so is the key. Exports write keys, or
      identifiers with their store, which another store refuses. Rows that come later in the file can
      be referred to. Of a file, all links are checked before anything is stored, unless
      --ignore-missing leaves out those that lead nowhere. --rejects sets aside their records; one that
      was stored before this was known, as from a pipe, says so.

      With --apple, FILE is the SQLite file of SwiftData or Core Data on a Mac, which isn't changed. Copy it
      when its program has ended, or along with the file beside it whose name ends in -wal; and with the
      hidden folder .NAME_SUPPORT, if there is one. With --schema a property firstName is looked for in
      the column ZFIRSTNAME, and what the schema doesn't name is left out. With --infer the schema is the
      model that the store remembers, or else what its tables tell, in which names have no capitals.
      Values that only the program can unpack are data.

      With --resume, an import that was interrupted, even killed, goes on when the same command is
      given again: nothing is lost and nothing is stored twice. The files must not change meanwhile. If the
      rows that JOURNAL tells of are gone, or the store was restored or is another one, nothing is done
      unless there is --begin-again. All of an import is one entry of depot log, and depot undo takes all
      of it back.
      An import waits 30 seconds for another service if its own ends, and goes on with that by itself.
      """,
    examples: [
      "depot import Package packages.ndjson",
      "depot import Package packages.csv --on-conflict replace --rejects bad.ndjson",
      "depot import Package packages.ndjson --link depends=Package.name --rejects bad.ndjson",
      "depot import Package packages.json --key maintainer=Maintainer.email --resume import.state",
      "depot import --all backup --resume import.state",
      "depot import --apple default.store --infer",
      "depot import --apple default.store --schema trips.schema.json",
      "depot import Country iso_3166-1.json --path /3166-1 --map alpha_2=code --ignore-unknown",
      "depot import Sale sales.csv --separator ';' --map 'Unit price=price' --map Remarks=",
      "depot import Sale sales.tsv --no-header --escapes --columns id,price,,amount",
      "curl -s https://example.org/packages.json | depot import Package -",
    ],
    options: InputForm.options + [
      RecordMap.option, batch, OptionSpec.onConflict, rejects, ignoreUnknown, link, key,
      listSeparator, ignoreMissing, resume, ImportJournal.beginAgain, all, apple, schemaFile, infer,
    ]
  ) { session in
    var grouped = session
    grouped.beginGroup()
    let session = grouped
    try session.interruption.holdThroughout { try run(session) }
  }

  private static func run(_ session: CommandSession) throws {
    let invocation = session.invocation
    var options = GraphImporter.Options()
    if let rows = try invocation.number(batch, minimum: 1) {
      options.batch = min(Limits.rows, rows)
      options.rows = options.batch
    }
    options.onConflict = try invocation.choice(.onConflict) ?? .error
    guard invocation.value(resume) != "-" else {
      throw DepotError(.usage, "--resume needs the name of a file, which is read and written.")
    }
    if let file = invocation.value(apple) { return try importApple(file, options, session) }
    for option in [schemaFile, infer] where invocation.has(option) {
      throw DepotError(.usage, "--\(option.name) goes with --apple.")
    }
    if invocation.has(ImportJournal.beginAgain), !invocation.has(resume) {
      throw DepotError(.usage, "--begin-again goes with --resume.")
    }
    if invocation.has(all) { return try importAll(options, session) }
    guard invocation.operands.count == 2 else {
      throw DepotError(.usage, "depot import needs ENTITY FILE|- | --all DIR | --apple FILE.")
        .hint("See: depot import --help")
    }
    let form = try InputForm(invocation)
    let connection = try session.connect()
    let schema = try connection.schema()
    let entity = try schema.entity(named: invocation.operands[0])
    let rules = invocation.values(link) + invocation.values(key)
    var source = GraphSource(
      path: invocation.operands[1],
      form: form,
      entity: entity,
      schema: schema,
      rules: try LinkRules(rules, of: entity, schema),
      style: try style(invocation, form, entity, schema),
      keepsInput: invocation.has(rejects)
    )
    if form.columns != nil, form.hasHeader {
      session.say("The first line is taken for a header; if it is a row, add --no-header.")
    }
    let isGraph = needsGraph(entity, schema, invocation)
    if isGraph { source.stores = try connection.storeIdentifiers() }
    options.ignoresMissing = invocation.has(ignoreMissing)
    let importing = GraphImport(
      connection: ImportConnection(connection, session),
      session: session,
      source: source,
      options: options,
      rejects: invocation.value(rejects),
      journal: invocation.value(resume),
      description: "\(rules) \(options.batch) \(options.onConflict)"
    )
    try isGraph ? importing.run() : importing.runPlainly()
  }

  private static func importApple(
    _ file: String,
    _ options: GraphImporter.Options,
    _ session: CommandSession
  ) throws {
    let invocation = session.invocation
    guard invocation.operands.isEmpty, !invocation.has(all), !invocation.has(resume) else {
      throw DepotError(
        .usage,
        "--apple takes a whole store, with neither entity, --all, nor --resume."
      )
    }
    guard invocation.has(schemaFile) != invocation.has(infer) else {
      throw DepotError(.usage, "Say where the schema comes from: --schema FILE, or --infer.")
    }
    guard file != "-" else {
      throw DepotError(.usage, "A store of SwiftData is several files, so it has to be named.")
        .hint("See: depot import --help")
    }
    try AppleImport(file, session).run(schemaFile: invocation.value(schemaFile), options)
  }

  private static func importAll(
    _ options: GraphImporter.Options,
    _ session: CommandSession
  ) throws {
    guard session.invocation.operands.count == 1, session.invocation.operands != ["-"] else {
      throw DepotError(.usage, "--all takes one folder and no entity.")
    }
    let others =
      InputForm.options
      + [RecordMap.option, rejects, ignoreUnknown, link, key, listSeparator, ignoreMissing]
    if let other = others.first(where: session.invocation.has) {
      throw DepotError(.usage, "--all and --\(other.name) contradict each other.")
    }
    try WholeStore(session.invocation.operands[0], session)
      .importAll(options, journal: session.invocation.value(resume))
  }

  /// Whether records can't simply become rows.
  private static func needsGraph(
    _ entity: Entity,
    _ schema: Schema,
    _ invocation: Invocation
  ) -> Bool {
    GraphImport.isNeeded(entity, schema) || invocation.has(resume)
      || !invocation.values(link).isEmpty || !invocation.values(key).isEmpty
  }

  private static func style(
    _ invocation: Invocation,
    _ form: InputForm,
    _ entity: Entity,
    _ schema: Schema
  ) throws -> ImportStyle {
    let separator = invocation.value(listSeparator) ?? ";"
    guard separator.count == 1, let separator = separator.first else {
      throw DepotError(.usage, "--list-separator takes one character.")
    }
    let map = try RecordMap(invocation.values(RecordMap.option))
    try map.check(entity, schema)
    return ImportStyle(
      ignoresUnknown: invocation.has(ignoreUnknown),
      nullText: form.nullText,
      listSeparator: separator,
      map: map
    )
  }
}
