internal import DepotClient
internal import DepotProtocol

/// `depot update`: new values for rows.
enum UpdateVerb {
  static let verb = Verb(
    words: ["update"],
    operands: "ENTITY/ID … NAME=TEXT … | ENTITY --where P NAME=TEXT …",
    operandCount: 2...Int.max,
    operand: .entityThenAssignments,
    summary: "give new values to rows",
    details: "NAME=TEXT and NAME:=JSON are as for depot insert. All rows change, or none does.",
    examples: [
      "depot update Package/42 section=database homepage:=null",
      "depot update Package --where \"section == 'db'\" section=database",
    ],
    options: [OptionSpec.predicate, OptionSpec.all],
    run: run
  )

  @Sendable private static func run(_ session: Session) throws -> Int32 {
    let invocation = session.invocation
    let isByIdentifier = isIdentifier(invocation.operands[0])
    let rows = isByIdentifier ? invocation.operands.prefix(while: isIdentifier) : []
    let assigned = Array(invocation.operands.dropFirst(max(1, rows.count)))
    let name: String
    let selection: RowSelection
    if isByIdentifier {
      try refuseSelection(invocation)
      let list: [Int64]
      (name, list) = try Selection.identifiers(rows)
      selection = .identifiers(list)
    } else {
      name = invocation.operands[0]
      selection = try Selection.changed(invocation, entity: name)
    }
    guard !assigned.isEmpty else {
      throw DepotError(.usage, "There are no values to set.").hint("Usage: \(verb.usage)")
    }
    let connection = try session.connect()
    let entity = try connection.schema().entity(named: name)
    let assignments = try Assignments(assigned, for: entity)
    let count = try connection.update(
      UpdateRequest(
        entity: name,
        rows: selection,
        columns: assignments.columns,
        values: assignments.batch
      )
    )
    session.write(
      .object(["updated": .int64(Int64(count))]),
      orText: "\(Numbers.counted(count, "row")) updated"
    )
    return 0
  }

  /// Whether an operand is an identifier rather than an assignment or an entity.
  static func isIdentifier(_ word: String) -> Bool {
    word.contains("/") && !word.prefix { $0 != "/" }.contains("=")
  }

  /// Refuses `--where` and `--all` beside identifiers.
  static func refuseSelection(_ invocation: Invocation) throws(DepotError) {
    for option in [OptionSpec.predicate, .all] where invocation.has(option) {
      throw DepotError(.usage, "--\(option.name) goes with an entity, not with identifiers.")
    }
  }
}
