internal import DepotLinux
internal import DepotProtocol

/// An error in words for the user.
enum ErrorReport {
  /// The most reasons that are shown.
  private static let reasonCount = 8
  /// The failures during a change, after which users ask whether it was stored.
  private static let interruptions: Set<DepotError.Code> = [
    .full, .readOnly, .unreachable, .deadline,
  ]

  /// Returns the failure of a verb, its place, and its remedy, in terms of the command line.
  ///
  /// These are three lines unless there are several reasons, or a line is too wide for a terminal
  /// of `width` columns.
  static func text(
    _ error: DepotError,
    of verb: Verb? = nil,
    usesColor: Bool = false,
    width: Int? = nil
  ) -> String {
    func oneLine(_ text: String, behind indentation: Int = 4) -> String {
      TextFlow.wrapped(TextWidth.printable(text), width: width, indentation: indentation)
    }
    let terms = CommandLineTerms(of: verb)
    let error = terms.translated(error)
    let code = error.code == .usage ? "" : "\(error.code.rawValue): "
    var message = error.message
    if message.hasSuffix("."), error.code == .usage { message.removeLast() }
    if error.effect == .unknown { message += " Nobody knows whether the last change was stored." }
    var text = "error:".painted("31;1", if: usesColor) + " "
    text += oneLine(code + message, behind: 7) + "\n"
    if let place = error.at {
      text += "  " + "at:".painted("1", if: usesColor) + " " + oneLine(place, behind: 6) + "\n"
    }
    // The message has the first reason.
    let reasons = error.details?["violations"]?.array?.dropFirst() ?? []
    for reason in reasons.prefix(reasonCount) {
      let place = reason["pointer"]?.string.flatMap(terms.place).map { " (at \($0))" } ?? ""
      let message = (reason["message"]?.string ?? reason.text) + place
      text += "  also: " + oneLine(message, behind: 8) + "\n"
    }
    text += more(reasons.count)
    for conflict in error.conflicts.prefix(reasonCount) {
      for line in ConflictReport.lines(conflict) { text += "  " + oneLine(line) + "\n" }
    }
    text += more(error.conflicts.count)
    for line in steps(error) { text += "  " + oneLine(line) + "\n" }
    let isUndone = error.effect == .none && interruptions.contains(error.code)
    let undone = nothingChanged
    let isSaid = error.hint?.hasPrefix(undone) ?? false
    let facts = [isUndone && !isSaid ? undone : nil, error.hint].compactMap(\.self)
    if !facts.isEmpty, reasons.isEmpty {
      let hint = facts.joined(separator: " ")
      text += "  " + "hint:".painted("36", if: usesColor) + " " + aligned(hint, width) + "\n"
    }
    return text
  }

  private static let nothingChanged = "Nothing was changed."

  /// Returns a hint without its beginning that nothing was changed.
  static func withoutNothing(_ hint: String) -> String {
    guard hint.hasPrefix(nothingChanged) else { return hint }
    return hint.dropFirst(nothingChanged.count).trimmed()
  }

  private static func more(_ count: Int) -> String {
    count > reasonCount ? "  and \(count - reasonCount) more\n" : ""
  }

  /// The refused steps of a migration, and the problems that prevent it.
  private static func steps(_ error: DepotError) -> [String] {
    guard let steps = error.details?["steps"]?.array else { return [] }
    let problems = error.details?["problems"]?.array?.compactMap(\.string) ?? []
    return MigrationText.lines(steps) + problems.map { "x " + $0 }
  }

  /// Tells the user about an error of a verb and returns the exit status.
  static func tell(
    _ error: any Error,
    usesJSON: Bool,
    verb: Verb? = nil,
    _ messages: Messages
  ) -> Int32 {
    var error = error as? DepotError ?? DepotError(.bug, "\(error)")
    error.message = PathText.shown(error.message)
    messages.write(
      usesJSON
        ? json(error)
        : text(
          error,
          of: verb,
          usesColor: messages.usesColor,
          width: messages.wrapsAt
        )
    )
    // Broken JSON comes from the user, since this program writes all JSON for the service. Errors
    // in the lines of a file aren't errors of the command line either.
    let isInFile = error.at?.split(separator: ", ").contains { $0.hasPrefix("line ") } ?? false
    let isOfRow = ["request", "conflict", "constraint"].contains(error.code.class)
    let isData = error.code == .json || isInFile && isOfRow
    return isData ? 65 : error.code.exitStatus
  }

  /// Returns the error object of the protocol in one line.
  static func json(_ error: DepotError) -> String { JSONWriter.text { $0.write(error) } + "\n" }

  /// Keeps the lines of a hint, which may point at a position in the line above.
  private static func aligned(_ hint: String, _ width: Int?) -> String {
    var lines = hint.split(separator: "\n", omittingEmptySubsequences: false)
      .map { TextWidth.printable(String($0)) }
    let pointer = lines.last?.trimmed() == "^" && lines.count > 1 ? lines.suffix(2) : []
    lines.removeLast(pointer.count)
    lines = lines.map { TextFlow.wrapped($0, width: width, indentation: 8) }
    if let text = pointer.first, let mark = pointer.last {
      lines += around(text, mark, width: width.map { $0 - 8 })
    }
    return lines.joined(separator: "\n        ")
  }

  /// Returns a text and the mark below it, cut to the part around the mark that fits a line.
  private static func around(_ text: String, _ mark: String, width: Int?) -> [String] {
    guard let width, width > 20, text.count > width else { return [text, mark] }
    let place = mark.count - 1
    let start = min(max(0, place - width / 2), text.count - width)
    var part = Array(text.dropFirst(start).prefix(width))
    if start > 0 { part[0] = "…" }
    if start + width < text.count { part[width - 1] = "…" }
    return [String(part), String(repeating: " ", count: max(0, place - start)) + "^"]
  }
}
