internal import DepotProtocol

/// An error as the user sees it.
enum ErrorReport {
  /// How many of several reasons are shown.
  private static let reasonCount = 8

  /// Returns what happened, where, and what to do about it, in three lines unless there are several
  /// reasons.
  static func text(_ error: DepotError, usesColor: Bool = false) -> String {
    let code = error.code == .usage ? "" : "\(error.code.rawValue): "
    var message = error.message
    if message.hasSuffix("."), error.code == .usage { message.removeLast() }
    if error.effect == .unknown { message += " Nobody knows whether the last change was stored." }
    var text = label("error:", "31;1", usesColor) + " " + oneLine(code + message) + "\n"
    if let place = error.at {
      text += "  " + label("at:", "1", usesColor) + " " + oneLine(place) + "\n"
    }
    // The message has the first of them.
    let reasons = error.details?["violations"]?.array?.dropFirst() ?? []
    for reason in reasons.prefix(reasonCount) {
      let place = reason["pointer"]?.string.map { " (at \($0))" } ?? ""
      text += "  also: " + oneLine((reason["message"]?.string ?? reason.text) + place) + "\n"
    }
    if reasons.count > reasonCount { text += "  and \(reasons.count - reasonCount) more\n" }
    for conflict in error.conflicts.prefix(reasonCount) {
      for line in ConflictReport.lines(conflict) { text += "  " + oneLine(line) + "\n" }
    }
    if error.conflicts.count > reasonCount {
      text += "  and \(error.conflicts.count - reasonCount) more\n"
    }
    if let hint = error.hint, reasons.isEmpty {
      text += "  " + label("hint:", "36", usesColor) + " " + aligned(hint) + "\n"
    }
    return text
  }

  /// Returns the error object of the protocol in one line.
  static func json(_ error: DepotError) -> String {
    var writer = JSONWriter()
    writer.write(error)
    return String(decoding: writer.bytes, as: UTF8.self) + "\n"
  }

  private static func label(_ text: String, _ color: String, _ usesColor: Bool) -> String {
    usesColor ? "\u{1B}[\(color)m\(text)\u{1B}[0m" : text
  }

  /// Keeps the lines of a hint that points at a place in the line above.
  private static func aligned(_ hint: String) -> String {
    hint.split(separator: "\n", omittingEmptySubsequences: false).map { oneLine(String($0)) }
      .joined(separator: "\n        ")
  }

  private static func oneLine(_ text: String) -> String {
    TextWidth.printable(text)
  }
}
