internal import DepotClient
internal import DepotLinux
internal import DepotProtocol

/// The command line program `depot`.
package enum DepotCommand {
  /// Runs the program.
  ///
  /// - Parameter arguments: What follows the program's name.
  /// - Returns: The exit status.
  package static func run(_ arguments: [String]) -> Int32 {
    Terminal.exitOnInterrupt()
    let messages = Messages(Descriptor(2), allowsColor: !arguments.contains("--no-color"))
    let output = Descriptor(1)
    var format: OutputFormat?
    do {
      let invocation = try ArgumentParser.parse(arguments)
      let session = try Session(invocation, output: output, messages: messages)
      format = session.chosenFormat
      defer { _ = try? session.output.flush() }
      let status = try run(session)
      try session.output.flush()
      if session.interruption.isRaised, status == 0 {
        session.say("The interruption came too late: the change is stored.")
      }
      return status
    } catch is OutputClosed {
      // What the shell would say if the signal SIGPIPE had ended the program.
      return 141
    } catch {
      return report(error, usesJSON: format == .json || format == .ndjson, messages)
    }
  }

  /// Tells the user about an error and returns the exit status.
  static func report(_ error: any Error, usesJSON: Bool, _ messages: Messages) -> Int32 {
    let error = error as? DepotError ?? DepotError(.bug, "\(error)")
    messages.write(
      usesJSON ? ErrorReport.json(error) : ErrorReport.text(error, usesColor: messages.usesColor)
    )
    return error.code.exitStatus
  }

  /// Does what a command line that was read says.
  static func run(_ session: Session) throws -> Int32 {
    let invocation = session.invocation
    if let verb = invocation.verb {
      guard invocation.has(.helpFlag) else { return try verb.run(session) }
      session.output.append(Help.text(of: verb))
      return 0
    }
    if invocation.has(.version) { return try VersionVerb.verb.run(session) }
    if !invocation.incompleteVerb.isEmpty {
      let text = Help.text(ofGroup: invocation.incompleteVerb)
      if !invocation.has(.helpFlag) {
        session.messages.write(text)
        return 64
      }
      session.output.append(text)
      return 0
    }
    if invocation.has(.helpFlag) {
      session.output.append(Help.full)
      return 0
    }
    session.messages.write(Help.concise)
    return 64
  }
}
