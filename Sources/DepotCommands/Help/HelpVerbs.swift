internal import DepotProtocol

/// `depot help`: the help of all verbs, of one verb, or of a topic.
enum HelpVerb {
  static let verb = Verb(
    name: "help",
    operands: .init("[VERB | TOPIC]", 0...2, .help),
    summary: "show help",
    examples: ["depot help fetch"]
      + (HelpList.allCases.map(\.rawValue) + HelpTopic.all.map(\.name)).map { "depot help \($0)" }
  ) { session in
    let words = session.invocation.operands
    let verbs = session.verbs
    let help = session.beginHelp()
    if words.isEmpty {
      session.output.append(help.full)
    } else if words.count == 1, let list = HelpList(rawValue: words[0]) {
      session.output.append(help.text(of: list))
    } else if let topic = HelpTopic.all.first(where: { [$0.name] == words }) {
      session.output.append(help.text(of: topic))
      if verbs.visible.contains(where: { $0.words.starts(with: words) }) {
        session.output.append("\nVerbs:\n" + help.verbs(ofGroup: words))
      }
    } else if let verb = verbs.visible.first(where: { $0.words == words }) {
      session.output.append(help.text(of: verb))
    } else if verbs.visible.contains(where: { $0.words.starts(with: words) }) {
      session.output.append(help.text(ofGroup: words))
    } else if words.count > 1, HelpList(rawValue: words[0]) != nil {
      throw DepotError(.usage, "depot help \(words[0]) takes no further word.")
        .hint("For a verb: depot help \(words[1])")
    } else {
      let known = verbs.visible.contains { $0.words[0] == words[0] } && words.count > 1
      throw verbs.unknownVerb(
        words[known ? 1 : 0],
        after: known ? [words[0]] : [],
        or: known ? [] : HelpList.allCases.map(\.rawValue) + HelpTopic.all.map(\.name)
      )
    }
  }
}

/// `depot version`: the version of this program.
enum VersionVerb {
  static let verb = Verb(
    name: "version",
    summary: "show the version",
    examples: ["depot version"]
  ) { session in
    session.output.append("depot \(ProtocolVersion.build)\n")
  }
}

/// `depot __manual`: the pages of the manual, for installers.
enum ManualVerb {
  static let verb = Verb(
    name: "__manual",
    operands: .init("[PAGE]", 0...1),
    summary: "write a page of the manual, or list them",
    examples: ["depot __manual", "depot __manual depot.1 | man -l -"]
  ) { session in
    guard let name = session.invocation.operands.first else {
      for name in Manual.names { session.output.append(name + "\n") }
      return
    }
    guard let text = Manual.text(named: name, of: session.verbs) else {
      throw DepotError(.usage, "There is no page \"\(name)\".")
        .hint("There are \(Manual.names.joined(separator: ", ")).")
    }
    session.output.append(text)
  }
}
