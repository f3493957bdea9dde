internal import DepotClientCore
internal import DepotProtocol

/// The execution of a shell's lines, from any source.
@Memberwise("session")
struct Shell {
  private let session: CommandSession
  /// Runs a verb in a process of its own, so that an interruption ends only the verb.
  private let runApart: (([String]) throws -> Int32)?
  /// The exit status of the last command.
  private(set) var status: Int32 = 0
  /// Whether `exit` was called.
  private(set) var isOver: Bool = false

  /// Runs the commands of a text, one on each line; an error ends only its own command.
  ///
  /// - Throws: ``OutputClosed`` if the reader of the output has closed it.
  mutating func run(_ text: String) throws {
    let line = CommandWords(text)
    if let quote = line.openQuote {
      let error = DepotError(.usage, "The quotation mark \(quote) is never closed.")
      status = ErrorReport.tell(error, usesJSON: false, session.messages)
      return
    }
    for words in line.commands where !isOver {
      try run(words)
      // Later commands may build on the interrupted change.
      if session.interruption.isRaised { isOver = true }
    }
  }

  private mutating func run(_ words: [String]) throws {
    var words = words
    if words.count > 1, words[0] == "depot" { words.removeFirst() }
    if words == ["exit"] || words == ["quit"] {
      isOver = true
      return
    }
    var current = session
    do {
      let invocation = try ArgumentParser.parse(words, of: session.verbs)
      try Self.refuse(invocation)
      current = try session.running(invocation)
      try session.output.flush()
      if let runApart, invocation.verb != nil {
        status = try runApart(session.inheritedWords(invocation) + words)
      } else {
        status = try current.run()
      }
      try session.output.flush()
    } catch let error as OutputClosed {
      throw error
    } catch {
      try session.output.flush()
      status = ErrorReport.tell(
        error,
        usesJSON: current.reportsJSON,
        verb: current.invocation.verb,
        session.messages
      )
    }
  }

  /// Refuses commands that would read the shell's own input.
  private static func refuse(_ invocation: Invocation) throws(DepotError) {
    if invocation.verb?.runsVerbs == true, !invocation.has(.helpFlag) {
      throw DepotError(.usage, "This is the shell.").hint("Verbs go here without \"depot\".")
    }
    if invocation.operands.contains("-") || invocation.options.values.contains("-") {
      throw DepotError(.usage, "In the shell, standard input is where the commands come from.")
        .hint("Name a file, or run depot without the shell.")
    }
  }
}
