internal import DepotClient
internal import DepotProtocol

/// `depot count`: how many rows there are.
enum CountVerb {
  static let verb = Verb(
    words: ["count"],
    operands: "ENTITY",
    operandCount: 1...1,
    operand: .entity,
    summary: "count rows",
    examples: [
      "depot count Package", "depot count Package --where \"maintainer CONTAINS[c] 'debian'\"",
    ],
    options: [OptionSpec.predicate],
    run: run
  )

  @Sendable private static func run(_ session: Session) throws -> Int32 {
    let request = CountRequest(
      entity: try Selection.entityName(session.invocation.operands[0]),
      predicate: try Selection.predicate(session.invocation)
    )
    session.output.append("\(try session.connect().count(request))\n")
    return 0
  }
}
