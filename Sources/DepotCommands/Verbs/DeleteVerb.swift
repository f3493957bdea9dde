internal import DepotClient
internal import DepotProtocol

/// `depot delete`: no more rows.
enum DeleteVerb {
  static let verb = Verb(
    words: ["delete"],
    operands: "ENTITY/ID … | ENTITY --where P",
    operandCount: 1...Int.max,
    operand: .entity,
    summary: "delete rows",
    details: """
      All of the rows are deleted, or none is, unless there is --chunk. The relationships' delete
      rules say what becomes of the rows that they lead to.
      """,
    examples: [
      "depot delete Package/42 Package/43", "depot delete Package --where \"installedSize == 0\"",
    ],
    options: OptionSpec.matching + [OptionSpec.all, UpdateVerb.chunk, UpdateVerb.returnIDs],
    run: run
  )

  @Sendable private static func run(_ session: Session) throws -> Int32 {
    let invocation = session.invocation
    var request: DeleteRequest
    var bindings = try Bindings(invocation)
    if UpdateVerb.isIdentifier(invocation.operands[0]) {
      try UpdateVerb.refuseSelection(invocation)
      let (entity, identifiers) = try Selection.identifiers(invocation.operands)
      request = DeleteRequest(entity: entity, rows: .identifiers(identifiers))
    } else {
      let entity = invocation.operands[0]
      if invocation.operands.count > 1 {
        throw DepotError(.usage, "\"\(invocation.operands[1])\" is one argument too many.")
          .hint("Usage: \(verb.usage)")
      }
      request = DeleteRequest(
        entity: entity,
        rows: try Selection.changed(invocation, entity: entity, &bindings)
      )
    }
    try bindings.finish()
    request.includesSubentities = !invocation.has(.noSubentities)
    request.chunk = try invocation.number(UpdateVerb.chunk, minimum: 1)
    request.returnsIdentifiers = invocation.has(UpdateVerb.returnIDs)
    let result = try JSONValue(session.connect().perform(.delete(request)))
    UpdateVerb.write(result, "deleted", of: request.entity, session)
    return 0
  }
}
