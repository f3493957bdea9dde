internal import DepotClient
internal import DepotProtocol

/// `depot insert`: one row from the command line, or many from standard input.
enum InsertVerb {
  static let verb = Verb(
    words: ["insert"],
    operands: "ENTITY NAME=TEXT … | -",
    operandCount: 2...Int.max,
    operand: .entityThenAssignments,
    summary: "insert a row and show its identifier",
    details: """
      NAME=TEXT is read as the attribute's type wants it, NAME:=JSON as JSON (so NAME:=null), and
      NAME=@FILE puts a file into an attribute of type data. With -, NDJSON or a JSON array comes
      from standard input and is inserted in batches of 1000; relationships are as for depot import.
      """,
    examples: [
      "depot insert Package name=depot section=database installedSize:=1024",
      "echo '{\"name\":\"depot\"}' | depot insert Package -",
    ],
    options: [OptionSpec.onConflict],
    run: run
  )

  @Sendable private static func run(_ session: Session) throws -> Int32 {
    let invocation = session.invocation
    let onConflict = try invocation.choice(.onConflict, InsertRequest.OnConflict.self) ?? .error
    let name = try Selection.entityName(invocation.operands[0])
    let connection = try session.connect()
    let schema = try connection.schema()
    let entity = try schema.entity(named: name)
    if invocation.operands[1] == "-" {
      if GraphImport.isNeeded(entity, schema) {
        try insertGraph(entity, schema, onConflict, connection, session)
      } else {
        try insertInput(entity, onConflict, connection, session)
      }
      return 0
    }
    let assignments = try Assignments(Array(invocation.operands.dropFirst()), for: entity, schema)
    let result = try connection.insert(
      InsertRequest(
        entity: name,
        columns: assignments.columns,
        rows: assignments.batch,
        onConflict: onConflict
      )
    )
    write(result.identifiers.compactMap(\.self), of: name, session)
    return 0
  }

  private static func insertInput(
    _ entity: Entity,
    _ onConflict: InsertRequest.OnConflict,
    _ connection: BlockingConnection,
    _ session: Session
  ) throws {
    var options = Importer.Options()
    options.onConflict = onConflict
    let importer = Importer(entity, options, rejects: nil) { request in
      let result = try connection.insert(request)
      write(result.identifiers.compactMap(\.self), of: entity.name, session)
      try session.output.flushIfLarge()
      return result
    }
    try ImportSource.read(try InputFile("-"), format: nil, into: importer)
  }

  private static func insertGraph(
    _ entity: Entity,
    _ schema: Schema,
    _ onConflict: InsertRequest.OnConflict,
    _ connection: BlockingConnection,
    _ session: Session
  ) throws {
    var options = GraphImporter.Options()
    options.onConflict = onConflict
    options.keepsDeferred = true
    let importer = GraphImporter(options, ConnectedGraphService(connection: connection)) { stored in
      write(stored, of: entity.name, session)
      try session.output.flushIfLarge()
    }
    let source = GraphSource(
      path: "-",
      entity: entity,
      schema: schema,
      rules: try LinkRules([], of: entity, schema),
      style: ImportStyle(),
      keepsInput: false
    )
    try source.read(
      InputFile("-"),
      skip: { _ in false },
      refuse: importer.refuse(_:index:line:input:),
      importer.add
    )
    try importer.finishRows()
    try importer.link(importer.kept)
  }

  private static func write(_ identifiers: [Int64], of entity: String, _ session: Session) {
    for identifier in identifiers {
      let text = "\(entity)/\(identifier)"
      session.output.append(session.writesJSON ? "{\"$id\":\"\(text)\"}\n" : text + "\n")
    }
  }
}
