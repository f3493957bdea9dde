internal import DepotClientCore
internal import DepotProtocol

/// `depot completions`: what makes a shell complete command lines.
enum CompletionsVerb {
  static let verb = Verb(
    name: "completions",
    operands: .init("bash|zsh|fish", 1...1, .words(CompletionScript.allCases.map(\.rawValue))),
    summary: "write the completions for a shell",
    details: """
      Tab completes verbs, options, entities, paths, and, in quotation marks, predicates; entities and
      paths only while a service runs. zsh and fish also show what they mean.
      """,
    examples: [
      "depot completions bash > ~/.local/share/bash-completion/completions/depot",
      "depot completions zsh > ~/.zfunc/_depot",
      "depot completions fish > ~/.config/fish/completions/depot.fish",
    ]
  ) { session in
    let name = session.invocation.operands[0]
    guard let script = CompletionScript(rawValue: name) else {
      throw DepotError(.usage, "There are no completions for \"\(name)\".")
        .hint("There are some for bash, zsh, and fish.")
    }
    session.output.append(script.text)
  }
}
