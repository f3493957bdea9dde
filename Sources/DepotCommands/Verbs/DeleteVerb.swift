internal import DepotClientCore
internal import DepotProtocol

/// `depot delete`: the deletion of rows.
enum DeleteVerb {
  static let verb = Verb(
    name: "delete",
    operands: .init("ENTITY/ID … | ENTITY --where P|--all", 1...Int.max, .entities),
    summary: "delete rows",
    details: """
      All of the rows are deleted, or none is, unless there is --chunk. The relationships' delete
      rules say what becomes of the rows that they lead to.
      """,
    examples: [
      "depot delete Package/42 Package/43", "depot delete Package --where \"installedSize == 0\"",
    ],
    options: OptionSpec.matching + [OptionSpec.all, UpdateVerb.chunk, UpdateVerb.returnIDs]
  ) { session in
    let invocation = session.invocation
    let operands = invocation.operands
    var bindings = try Bindings(invocation)
    if operands.count > 1, !Selection.isIdentifier(operands[0]) {
      throw DepotError(.usage, "\"\(operands[1])\" is one argument too many.")
        .hint("Name the rows with --where PREDICATE, with --all, or by identifiers alone.")
    }
    let (entity, rows) = try Selection.changed(operands, invocation, &bindings)
    var request = DeleteRequest(entity: entity, rows: rows)
    try bindings.finish()
    request.includesSubentities = !invocation.has(.noSubentities)
    request.chunk = try invocation.number(UpdateVerb.chunk, minimum: 1)
    request.returnsIdentifiers = invocation.has(UpdateVerb.returnIDs)
    let result = try JSONValue(session.connect().send(.delete(request)))
    UpdateVerb.write(result, "deleted", of: request.entity, session)
  }
}
