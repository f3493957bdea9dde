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
    details: "All of the rows are deleted, or none is.",
    examples: [
      "depot delete Package/42 Package/43", "depot delete Package --where \"installedSize == 0\"",
    ],
    options: [OptionSpec.predicate, OptionSpec.all],
    run: run
  )

  @Sendable private static func run(_ session: Session) throws -> Int32 {
    let invocation = session.invocation
    let request: DeleteRequest
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
        rows: try Selection.changed(invocation, entity: entity)
      )
    }
    let count = try session.connect().delete(request)
    session.write(
      .object(["deleted": .int64(Int64(count))]),
      orText: "\(Numbers.counted(count, "row")) deleted"
    )
    return 0
  }
}
