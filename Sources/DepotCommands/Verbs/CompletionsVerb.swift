internal import DepotClient
internal import DepotProtocol

/// `depot completions`: what makes a shell complete command lines.
enum CompletionsVerb {
  static let verb = Verb(
    words: ["completions"],
    operands: "bash|zsh|fish",
    operandCount: 1...1,
    operand: .words(CompletionScript.allCases.map(\.rawValue)),
    summary: "write the completions for a shell",
    examples: [
      "depot completions bash > ~/.local/share/bash-completion/completions/depot",
      "depot completions zsh > ~/.zfunc/_depot",
      "depot completions fish > ~/.config/fish/completions/depot.fish",
    ],
    run: run
  )

  @Sendable private static func run(_ session: Session) throws -> Int32 {
    let name = session.invocation.operands[0]
    guard let script = CompletionScript(rawValue: name) else {
      throw DepotError(.usage, "There are no completions for \"\(name)\".")
        .hint("There are some for bash, zsh, and fish.")
    }
    session.output.append(script.text)
    return 0
  }
}

/// `depot __complete`: what could stand in place of the last word, one candidate in each line.
enum CompleteVerb {
  static let verb = Verb(
    words: ["__complete"],
    operands: "WORD …",
    operandCount: 0...Int.max,
    summary: "list completions",
    examples: ["depot __complete -- fet"],
    isHidden: true,
    run: run
  )

  @Sendable private static func run(_ session: Session) throws -> Int32 {
    let words = session.invocation.operands
    let candidates = Completer(words) { place in
      let session = session.using(socket: place.socket, container: place.container)
      // Nothing to offer is better than a message in the middle of typing.
      return try? session.connect(mayStart: false).schema()
    }.candidates
    for candidate in candidates { session.output.append(candidate + "\n") }
    return 0
  }
}
