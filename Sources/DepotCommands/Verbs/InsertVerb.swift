internal import DepotClientCore
internal import DepotProtocol

/// `depot insert`: one row from the command line, or many from standard input.
enum InsertVerb {
  static let verb = Verb(
    name: "insert",
    operands: .init("ENTITY NAME=TEXT … | -", 2...Int.max, .entities, .assignments),
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
    options: [OptionSpec.onConflict]
  ) { session in
    let invocation = session.invocation
    let onConflict = try invocation.choice(.onConflict, InsertRequest.OnConflict.self) ?? .error
    let name = try Selection.entityName(invocation.operands[0])
    let connection = try session.connect()
    let schema = try connection.schema()
    let entity = try schema.entity(named: name)
    let isInput = invocation.operands[1] == "-"
    let sequence = JSONSequence(session.output, isArray: isInput && session.format == .json)
    func print(_ identifiers: [Int64]) throws {
      for identifier in identifiers {
        let text = "\(name)/\(identifier)"
        sequence.append(session.writesJSON ? "{\"$id\":\"\(text)\"}" : text)
      }
      try session.output.flushIfLarge()
    }
    if isInput {
      var options = GraphImporter.Options()
      options.onConflict = onConflict
      let source = GraphSource(
        path: "-",
        entity: entity,
        schema: schema,
        rules: try LinkRules([], of: entity, schema),
        style: ImportStyle(),
        keepsInput: false
      )
      return try sequence.writing { try insert(source, options, connection, session, print: print) }
    }
    let assignments = try Assignments(Array(invocation.operands.dropFirst()), for: entity, schema)
    let request = InsertRequest(
      entity: name,
      columns: assignments.columns,
      rows: assignments.batch,
      onConflict: onConflict
    )
    let result: InsertResult
    do {
      result = try connection.insert(request)
    } catch let error as DepotError {
      throw located(error, request)
    }
    try print(result.identifiers.compactMap(\.self))
  }

  /// Inserts the records of standard input.
  private static func insert(
    _ source: GraphSource,
    _ options: GraphImporter.Options,
    _ connection: BlockingConnection,
    _ session: CommandSession,
    print: @escaping ([Int64]) throws -> Void
  ) throws {
    var session = session
    session.beginGroup()
    connection.group = session.group
    let file = try InputFile(source.path)
    guard GraphImport.isNeeded(source.entity, source.schema) else {
      return try Importer(source, options) { request in
        let result = try connection.insert(request)
        try print(result.identifiers.compactMap(\.self))
        return result
      }.add(file)
    }
    var (source, options) = (source, options)
    source.stores = try connection.storeIdentifiers()
    options.keepsDeferred = true
    let service = ConnectedGraphService(connection: ImportConnection(connection, session))
    let importer = GraphImporter(options, service, onStored: print)
    try importer.add(source, from: file)
    try importer.link(importer.kept)
  }

  /// Returns the error about a row of the command line with the attribute's name.
  private static func located(_ error: DepotError, _ request: InsertRequest) -> DepotError {
    let sent = SentRows([
      .init(entity: request.entity, columns: request.columns, rows: request.rows, lines: [1])
    ])
    var located = sent.located(error).error
    if let column = located.at { located.at = "\(request.entity).\(column)" }
    return located
  }
}
