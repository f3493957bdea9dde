internal import DepotLinux
internal import DepotProtocol

/// `depot shell`: an interactive shell for verbs.
enum ShellVerb {
  static let verb = Verb(
    name: "shell",
    summary: "type verbs at a prompt",
    details: """
      Each line is a verb with its operands and options; quotation marks and backslashes are as in
      other shells. Tab completes verbs, options, entities, paths, and predicates. The arrows and
      Ctrl-R bring back what was typed before, which is kept in $XDG_STATE_HOME/depot/history.
      Ctrl-C gives a line up, or ends the verb that runs; exit or Ctrl-D ends the shell.

      If the lines come from a file or pipe there is no prompt, and the exit status is the last
      line's. Options of the shell are those of every line.
      """,
    examples: ["depot shell", "depot shell -o csv < commands.txt"],
    runsVerbs: true
  ) { session in
    let isInteractive =
      Terminal.isTerminal(0) && session.messages.isTerminal && !session.messages.isDumb
    if isInteractive { try runInteractively(session) } else { try runInput(session) }
  }

  private static func runInteractively(_ session: CommandSession) throws {
    let file = HistoryFile.standard
    let terminal = ShellTerminal(
      Descriptor(0),
      session.messages,
      history: file?.read() ?? LineHistory(),
      completion: { ShellCompletion($0, of: session.verbs, schema: session.schema) }
    )
    defer { file?.shorten(to: terminal.history) }
    session.say("Type help for the verbs, exit to leave.")
    var shell = Shell(session, runApart: runApart)
    while !shell.isOver, let line = try terminal.readLine() {
      file?.append(line)
      try shell.run(line)
    }
  }

  /// Runs a command line as a process of its own; Ctrl-C ends it, and the shell continues.
  private static func runApart(_ words: [String]) throws(DepotError) -> Int32 {
    Terminal.ignoreInterrupt()
    defer { Terminal.exitOnInterrupt() }
    return try attempt("The verb can't be run") { () throws(SystemError) in
      try ChildProcess(["/proc/self/exe"] + words).wait()
    }
  }

  private static func runInput(_ session: CommandSession) throws {
    let input = try InputFile("-")
    var shell = Shell(session)
    var lines = ShellLines()
    while !shell.isOver {
      let piece = try input.read()
      for text in lines.receive(piece) where !shell.isOver { try shell.run(text) }
      if piece.isEmpty { break }
    }
    try ExitStatus.end(with: shell.status)
  }
}

/// A splitter of a stream of bytes into lines that are complete commands.
struct ShellLines {
  private var bytes: [UInt8] = []
  private var text = ""

  /// Receives bytes and returns the complete commands; no bytes mean the end of the input.
  mutating func receive(_ input: some Collection<UInt8>) -> [String] {
    bytes.append(contentsOf: input)
    if input.isEmpty, !bytes.isEmpty || !text.isEmpty { bytes.append(0x0A) }
    var commands: [String] = []
    while let end = bytes.firstIndex(of: 0x0A) {
      text += String(decoding: bytes[..<end], as: UTF8.self) + "\n"
      bytes.removeFirst(end + 1)
      // The end of the line doesn't tell whether the command is complete.
      if CommandWords(String(text.dropLast())).isIncomplete, !input.isEmpty { continue }
      commands.append(text)
      text = ""
    }
    return commands
  }
}
