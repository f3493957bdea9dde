internal import DepotProtocol

/// `depot completions`: the script that makes a shell complete command lines.
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

/// `depot __complete`: the candidates for the last word, one in each line.
enum CompleteVerb {
  private static let describe: OptionSpec = "--describe: each with a tab and its meaning"
  private static let line: OptionSpec =
    "--line TEXT: what to type behind TEXT, a command line of bash or zsh"

  static let verb = Verb(
    name: "__complete",
    operands: .init("WORD …", 0...Int.max),
    summary: "list completions",
    details: """
      The words are those behind the program's name, the last one as it is typed so far, perhaps in
      a quotation mark that isn't closed. :files stands for the names of files.

      With --line, the answer is what is to be typed next, and with --describe there is the whole word
      before what it means. :open says that the word needn't be over.
      """,
    examples: ["depot __complete -- fet", "depot __complete --line \"depot fetch Book -w 'ye\""],
    options: [describe, line]
  ) { session in
    let isDescribed = session.invocation.has(describe)
    let lines =
      session.invocation.value(line).map {
        endings(of: $0, isDescribed, session.verbs, session.schema)
      }
      ?? words(session.invocation.operands, isDescribed, session.verbs, session.schema)
    for line in lines { session.output.append(line + "\n") }
  }

  /// Returns the candidates for the last word.
  static func words(
    _ words: [String],
    _ isDescribed: Bool,
    _ verbs: VerbTable,
    _ schema: @escaping (Invocation) -> Schema?
  ) -> [String] {
    var words = words
    if let typed = words.popLast() { words.append(CommandWords(typed).current.last ?? typed) }
    return Completer(words, of: verbs, schema: schema).described.map { candidate in
      isDescribed && !candidate.description.isEmpty
        ? "\(candidate.text)\t\(candidate.description)" : candidate.text
    }
  }

  /// Returns the continuations of a command line.
  static func endings(
    of line: String,
    _ isDescribed: Bool,
    _ verbs: VerbTable,
    _ schema: @escaping (Invocation) -> Schema?
  ) -> [String] {
    let words = CommandWords(line)
    // Variables may be set before the program's name.
    let behindName = words.current.drop { $0.contains("=") && $0.first != "-" }.dropFirst()
    guard let word = behindName.last else { return [] }
    let completer = Completer(Array(behindName), of: verbs, schema: schema)
    let candidates = completer.described
    if candidates.first?.text == ":files" { return [":files"] }
    return (completer.isInPredicate ? [":open"] : [])
      + candidates.map { candidate in
        let rest = words.typed(candidate.text.dropFirst(word.count), isForOtherShell: true)
        return isDescribed ? "\(rest)\t\(candidate.text)\t\(candidate.description)" : rest
      }
  }
}
