internal import DepotProtocol

/// An error as the user sees it.
enum ErrorReport {
  /// How many of several reasons are shown.
  private static let reasonCount = 8
  private static let oneLine = TextWidth.printable

  /// Returns what happened to a verb, where, and what to do about it, in terms of the command line: in
  /// three lines unless there are several reasons.
  static func text(_ error: DepotError, of verb: Verb? = nil, usesColor: Bool = false) -> String {
    let terms = CommandLineTerms(of: verb)
    let error = terms.translated(error)
    let code = error.code == .usage ? "" : "\(error.code.rawValue): "
    var message = error.message
    if message.hasSuffix("."), error.code == .usage { message.removeLast() }
    if error.effect == .unknown { message += " Nobody knows whether the last change was stored." }
    var text = "error:".painted("31;1", if: usesColor) + " " + oneLine(code + message) + "\n"
    if let place = error.at {
      text += "  " + "at:".painted("1", if: usesColor) + " " + oneLine(place) + "\n"
    }
    // The message has the first of them.
    let reasons = error.details?["violations"]?.array?.dropFirst() ?? []
    for reason in reasons.prefix(reasonCount) {
      let place = reason["pointer"]?.string.flatMap(terms.place).map { " (at \($0))" } ?? ""
      text += "  also: " + oneLine((reason["message"]?.string ?? reason.text) + place) + "\n"
    }
    text += more(reasons.count)
    for conflict in error.conflicts.prefix(reasonCount) {
      for line in ConflictReport.lines(conflict) { text += "  " + oneLine(line) + "\n" }
    }
    text += more(error.conflicts.count)
    for line in steps(error) { text += "  " + oneLine(line) + "\n" }
    if let hint = error.hint, reasons.isEmpty {
      text += "  " + "hint:".painted("36", if: usesColor) + " " + aligned(hint) + "\n"
    }
    return text
  }

  private static func more(_ count: Int) -> String {
    count > reasonCount ? "  and \(count - reasonCount) more\n" : ""
  }

  /// The steps of a migration that weren't allowed, and what is in its way.
  private static func steps(_ error: DepotError) -> [String] {
    guard let steps = error.details?["steps"]?.array else { return [] }
    let problems = error.details?["problems"]?.array?.compactMap(\.string) ?? []
    return MigrationText.lines(steps) + problems.map { "x " + $0 }
  }

  /// Returns the error object of the protocol in one line.
  static func json(_ error: DepotError) -> String { JSONWriter.text { $0.write(error) } + "\n" }

  /// Keeps the lines of a hint that points at a place in the line above.
  private static func aligned(_ hint: String) -> String {
    hint.split(separator: "\n", omittingEmptySubsequences: false).map { oneLine(String($0)) }
      .joined(separator: "\n        ")
  }
}
