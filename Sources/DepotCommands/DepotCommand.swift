internal import DepotClientCore
internal import DepotLinux
internal import DepotProtocol

/// The command line program `depot`.
package enum DepotCommand {
  /// Runs the program with this process's arguments.
  ///
  /// - Returns: The exit status.
  package static func run() -> Int32 {
    Process.openStandardDescriptors(isUsable: false)
    let arguments = Array(PathText.arguments.dropFirst())
    Terminal.exitOnInterrupt()
    let messages = Messages(Descriptor(2), allowsColor: !arguments.contains("--no-color"))
    let output = Descriptor(1)
    var usesJSON = false
    var verb: Verb?
    do {
      let invocation = try ArgumentParser.parse(arguments, of: .depot)
      try checkEncoding(of: arguments, invocation)
      verb = invocation.verb
      let session = try CommandSession(
        invocation,
        of: .depot,
        output: output,
        messages: messages
      )
      usesJSON = session.reportsJSON
      defer {
        _ = try? session.finishOutput()
        session.endPaging()
      }
      let status = try run(session)
      if session.interruption.isRaised, status == 0 {
        session.say("The interruption came too late: the change is stored.")
      }
      return status
    } catch is OutputClosed {
      return Process.closedPipeStatus
    } catch {
      return ErrorReport.tell(error, usesJSON: usesJSON, verb: verb, messages)
    }
  }

  /// Runs a verb, and waits until all output has been read.
  ///
  /// - Returns: The exit status.
  private static func run(_ session: CommandSession) throws -> Int32 {
    do {
      let status = try session.run()
      try session.finishOutput()
      return status
    } catch var error as DepotError
      where session.output.hasFailed && session.interruption.hasWritten
    {
      error.message = "The change is stored. \(error.message)"
      error.hint = "The same command again would be another change; depot log shows this one."
      error.effect = .applied
      throw error
    }
  }

  /// Refuses arguments that aren't UTF-8, except the paths of files that this program opens itself.
  private static func checkEncoding(
    of arguments: [String],
    _ invocation: Invocation
  ) throws(DepotError) {
    let opensFiles = invocation.verb?.opensFiles(invocation) ?? false
    let paths = paths(invocation)
    if !opensFiles, PathText.isFolderForeign,
      paths.contains(where: { !$0.hasPrefix("/") && $0 != "-" })
    {
      throw DepotError(.usage, "The path of the current folder isn't UTF-8.")
        .hint("depotd takes no other paths: name the file from / on, or go to another folder.")
    }
    guard arguments.contains(where: PathText.isForeign) else { return }
    let files = opensFiles ? paths : []
    let stranger = arguments.first { text in
      PathText.isForeign(text) && !files.contains(text)
        && !files.contains { text.hasPrefix("--") && text.hasSuffix("=" + $0) }
    }
    guard let argument = stranger else { return }
    let isPath = paths.contains { argument.hasSuffix($0) }
    throw DepotError(.usage, "The argument \"\(PathText.shown(argument).prefix(60))\" isn't UTF-8.")
      .hint(
        opensFiles
          ? "A file of such a name can be given to the standard input: - < FILE"
          : isPath ? "depotd takes no other paths: give the file or folder another name." : nil
      )
  }

  /// Returns the paths in a command line; the current folder if the verb's path is left out.
  private static func paths(_ invocation: Invocation) -> Set<String> {
    guard let verb = invocation.verb else { return [] }
    var paths: Set<String> = []
    for (index, operand) in invocation.operands.enumerated()
    where verb.operands.areFiles(at: index) { paths.insert(operand) }
    for option in verb.options where option.candidates.areFiles {
      if let value = invocation.value(option) { paths.insert(value) }
    }
    if verb.name == DoctorVerb.verb.name, paths.isEmpty { paths.insert(".") }
    return paths
  }
}
