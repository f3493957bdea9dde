extension CommandSession {
  /// Runs the verb, or shows help, and returns the exit status.
  func run() throws -> Int32 {
    let group = invocation.incompleteVerb
    let wantsHelp = invocation.has(.helpFlag)
    do {
      if let verb = invocation.verb, !wantsHelp {
        try verb.run(self)
      } else if invocation.verb == nil, invocation.has(.version) {
        try VersionVerb.verb.run(self)
      } else if wantsHelp {
        let help = beginHelp()
        output.append(
          invocation.verb.map(help.text(of:))
            ?? (group.isEmpty ? help.full : help.text(ofGroup: group))
        )
      } else {
        let help = Help(of: verbs, for: 2)
        messages.write(group.isEmpty ? help.full : help.text(ofGroup: group))
        return 64
      }
      return 0
    } catch let exit as ExitStatus {
      return exit.status
    }
  }

  /// Returns the help texts for standard output, which is paged.
  func beginHelp() -> Help {
    beginPaging()
    return Help(of: verbs, for: 1)
  }
}
