internal import DepotProtocol

/// `depot help`: the help of all verbs, or of one.
enum HelpVerb {
  static let verb = Verb(
    words: ["help"],
    operands: "[VERB]",
    operandCount: 0...2,
    operand: .nothing,
    summary: "show help",
    examples: ["depot help fetch"],
    run: run
  )

  @Sendable private static func run(_ session: Session) throws -> Int32 {
    let words = session.invocation.operands
    if words.isEmpty {
      session.output.append(Help.full)
    } else if let verb = Verb.visible.first(where: { $0.words == words }) {
      session.output.append(Help.text(of: verb))
    } else if Verb.visible.contains(where: { $0.words.starts(with: words) }) {
      session.output.append(Help.text(ofGroup: words))
    } else {
      let known = Verb.visible.contains { $0.words[0] == words[0] } && words.count > 1
      throw ArgumentParser.unknownVerb(words[known ? 1 : 0], after: known ? [words[0]] : [])
    }
    return 0
  }
}

/// `depot version`: the version of this program.
enum VersionVerb {
  static let verb = Verb(
    words: ["version"],
    summary: "show the version",
    examples: ["depot version"],
    run: run
  )

  @Sendable private static func run(_ session: Session) throws -> Int32 {
    session.output.append("depot \(ProtocolVersion.software)\n")
    return 0
  }
}
