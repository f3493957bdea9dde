internal import DepotClient
internal import DepotProtocol

/// `depot count`: how many rows there are.
enum CountVerb {
  static let verb = Verb(
    words: ["count"],
    operands: "ENTITY [PREDICATE]",
    operandCount: 1...2,
    operand: .entityThenPredicate,
    summary: "count rows",
    examples: [
      "depot count Package", "depot count Package \"maintainer.name CONTAINS[c] 'debian'\"",
      "depot count Package --where \"size > $least\" --bind least:=1000",
    ],
    options: OptionSpec.matching,
    run: run
  )

  @Sendable private static func run(_ session: Session) throws -> Int32 {
    let request = try Selection.count(session.invocation)
    session.output.append("\(try session.connect().count(request))\n")
    return 0
  }
}
