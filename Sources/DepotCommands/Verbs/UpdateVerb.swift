internal import DepotClientCore
internal import DepotProtocol
internal import FoundationEssentials

/// `depot update`: new values for rows.
enum UpdateVerb {
  private static let set = OptionSpec(
    "--set NAME=TEXT: the same as NAME=TEXT without the option; repeatable",
    isRepeatable: true
  )
  private static let compute = OptionSpec(
    "--compute PATH=EXPRESSION: a value computed from the row as it is, such as "
      + "\"price=price * 2\"; repeatable",
    isRepeatable: true
  )
  static let chunk: OptionSpec =
    "--chunk N: rows in a transaction, rather than all; those before a failure stay changed"
  private static let ifVersion: OptionSpec =
    "--if-version N: change the row only if it still has this version; else say who changed it"
  static let returnIDs: OptionSpec = "--return-ids: show the rows' identifiers"

  static let verb = Verb(
    name: "update",
    operands: .init(
      "ENTITY/ID … NAME=TEXT … | ENTITY --where P|--all NAME=TEXT …",
      1...Int.max,
      .entities,
      .assignments
    ),
    summary: "give new values to rows",
    details: """
      NAME=TEXT and NAME:=JSON are as for depot insert. A to-one relationship takes an identifier, a
      to-many one a list, or an object with add and remove. All rows change, or none does, unless
      there is --chunk.
      """,
    examples: [
      "depot update Package/42 section=database homepage:=null",
      "depot update Package --where \"section == 'db'\" section=database",
      "depot update Trip --all --compute 'price=price * 1.1' --chunk 1000",
      "depot update Package/42 section=database --if-version 3",
      "depot update Trip/7 country=3 'tags:={\"add\":[5],\"remove\":[6]}'",
    ],
    options: OptionSpec.matching + [OptionSpec.all, set, compute, chunk, returnIDs, ifVersion]
  ) { session in
    let invocation = session.invocation
    let isByIdentifier = Selection.isIdentifier(invocation.operands[0])
    let rows = isByIdentifier ? invocation.operands.prefix(while: Selection.isIdentifier) : []
    let assigned =
      Array(invocation.operands.dropFirst(max(1, rows.count))) + invocation.values(set)
    guard !assigned.isEmpty || !invocation.values(compute).isEmpty else {
      let which = invocation.has(.all) ? " --all" : " --where PREDICATE"
      let words = isByIdentifier ? rows.joined(separator: " ") : invocation.operands[0] + which
      throw DepotError(.usage, "There are no values to set.")
        .hint("Add some, as in: depot update \(words) NAME=TEXT")
    }
    var bindings = try Bindings(invocation)
    var request = UpdateRequest(entity: invocation.operands[0], rows: .identifiers([]))
    (request.entity, request.rows) = try Selection.changed(
      isByIdentifier ? Array(rows) : [request.entity],
      invocation,
      &bindings
    )
    request.includesSubentities = !invocation.has(.noSubentities)
    request.computed = try invocation.values(compute).map { try computation($0, &bindings) }
    try bindings.finish()
    request.chunk = try invocation.number(chunk, minimum: 1)
    request.returnsIdentifiers = invocation.has(returnIDs)
    let connection = try session.connect()
    let schema = try connection.schema()
    let assignments = try Assignments(assigned, for: schema.entity(named: request.entity), schema)
    request.columns = assignments.columns
    if !assignments.columns.isEmpty { request.values = assignments.batch }
    if let version = try invocation.number(ifVersion, minimum: 1) {
      return try update(request, from: Int64(version), connection, session)
    }
    // A computation in chunks needs a key.
    let key = request.chunk == nil ? nil : IdempotencyKey.make()
    let result = try JSONValue(connection.send(.update(request), key: key))
    write(result, "updated", of: request.entity, session)
  }

  /// Changes one row unless others have changed it since the given version.
  private static func update(
    _ request: UpdateRequest,
    from version: Int64,
    _ connection: BlockingConnection,
    _ session: CommandSession
  ) throws {
    guard case .identifiers(let rows) = request.rows, rows.count == 1, request.computed.isEmpty,
      request.chunk == nil
    else {
      throw DepotError(.usage, "--if-version goes with one ENTITY/ID and values, nothing else.")
    }
    let values = try JSONValue(parsing: request.values.json).array?.first?.array ?? []
    let row: [JSONValue] = [.int64(rows[0]), .int64(version)] + values
    var batch = RowBatch()
    batch.append(row.map { .json($0.text) })
    let change = SaveRequest.Change(
      entity: request.entity,
      columns: ["$id", "$version"] + request.columns,
      rows: batch
    )
    let result: JSONValue
    do {
      result = try JSONValue(connection.send(.save(SaveRequest(updates: [change]))))
    } catch var error as DepotError where error.code == .merge {
      let row = "\(request.entity)/\(rows[0])"
      let isThere = error.conflicts.first?.storeVersion != nil
      error.hint =
        isThere ? "Read it again with depot get \(row) --versions, and name its version." : nil
      throw error
    }
    let rowVersion = result["versions"]?[request.entity]?.array?.first?.array?.last
    session.write(
      .object(["updated": result["updated"] ?? .int64(0), "version": rowVersion ?? .null]),
      orText: "1 row updated, now at version \(rowVersion?.text ?? "")"
    )
  }

  /// Reads `path=expression`.
  static func computation(
    _ text: String,
    _ bindings: inout Bindings
  ) throws -> UpdateRequest.Computation {
    let (path, expression) = try Selection.pair(
      text,
      orThat: "computes nothing",
      "Write path=expression, such as \"price=price * 2\"."
    )
    return .init(path.filter { $0 != " " }, try bindings.expression(expression))
  }

  /// Writes the number of changed rows, and their identifiers if the result has them.
  static func write(
    _ result: JSONValue,
    _ name: String,
    of entity: String,
    _ session: CommandSession
  ) {
    let identifiers = result["ids"]?.array?.compactMap(\.int64).map { "\(entity)/\($0)" }
    let count = result[name] ?? .int64(0)
    var members = [name: count]
    members["ids"] = identifiers.map { .array($0.map(JSONValue.string)) }
    let sentence = "\(Numbers.counted(Int(count.int64 ?? 0), "row")) \(name)"
    session.write(
      .object(members),
      orText: ((identifiers ?? []) + [sentence]).joined(separator: "\n")
    )
  }
}
