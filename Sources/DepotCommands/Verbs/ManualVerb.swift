internal import DepotClientCore
internal import DepotProtocol

/// `depot __manual`: the pages of the manual, for whoever installs them.
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
    guard let text = Manual.text(named: name) else {
      throw DepotError(.usage, "There is no page \"\(name)\".")
        .hint("There are \(Manual.names.joined(separator: ", ")).")
    }
    session.output.append(text)
  }
}
