internal import DepotClient
internal import DepotProtocol

/// `depot exists`: whether there is a row.
enum ExistsVerb {
  static let verb = Verb(
    words: ["exists"],
    operands: "ENTITY [PREDICATE]",
    operandCount: 1...2,
    operand: .entityThenPredicate,
    summary: "see whether there is a row",
    details: "It writes true or false. The exit status is 0 if there is one, else 1.",
    examples: [
      "depot exists Package \"name == 'bash'\"",
      "depot exists Package -q && echo some",
    ],
    options: OptionSpec.matching,
    run: run
  )

  @Sendable private static func run(_ session: Session) throws -> Int32 {
    let request = try Selection.count(session.invocation)
    var reply = try JSONObjectReader(session.connect().perform(.exists(request)))
    let exists = try reply.bool("exists", default: false)
    if !session.isQuiet { session.output.append("\(exists)\n") }
    return exists ? 0 : 1
  }
}
