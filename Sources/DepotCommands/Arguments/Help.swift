internal import DepotProtocol

/// The help texts, made from the table of verbs.
enum Help {
  /// What `depot` alone shows.
  static let concise = """
    depot \(ProtocolVersion.software): a store of objects

      depot schema apply packages.schema.json
      depot import Package packages.ndjson
      depot fetch Package --where "section == 'database'" --sort name --limit 10

    Verbs: \(topWords.joined(separator: ", "))
    More: depot --help, depot VERB --help

    """

  private static var topWords: [String] {
    var words: [String] = []
    for verb in Verb.visible where !words.contains(verb.words[0]) { words.append(verb.words[0]) }
    return words
  }

  /// What `depot --help` shows.
  static let full = """
    depot \(ProtocolVersion.software): a store of objects

    Examples:
      depot schema apply packages.schema.json
      depot import Package packages.ndjson
      depot fetch Package --where "section == 'database' AND installedSize > 10000" \\
        --sort installedSize:desc --limit 10
      depot count Package --where "maintainer CONTAINS[c] 'debian'"
      depot fetch Package -o csv > packages.csv

    Usage: depot [options] VERB …

    Verbs:
    \(table(Verb.visible.map { ($0.name, $0.summary) }))
    Options of every verb:
    \(table(OptionSpec.global.map { ($0.usage, $0.help) }))
    The socket is --socket, else $DEPOT_SOCKET, else $XDG_RUNTIME_DIR/depot/depot.sock, else
    /tmp/depot-UID/depot.sock. If no service answers there, one is started.

    Ctrl-C cancels a change that is under way, and its end tells what became of it: status 0 with the
    result if it was stored before that, 130 if it was not, 69 if the service is gone and nobody knows.
    A second Ctrl-C ends the program at once.

    """

  /// Returns what `depot VERB --help` shows.
  static func text(of verb: Verb) -> String {
    var text = "\(verb.summary.prefix(1).uppercased())\(verb.summary.dropFirst()).\n\nExamples:\n"
    for example in verb.examples { text += "  \(example)\n" }
    text += "\nUsage: \(verb.usage)\n"
    if !verb.details.isEmpty { text += "\n\(verb.details)\n" }
    if !verb.options.isEmpty {
      text += "\nOptions:\n" + table(verb.options.map { ($0.usage, $0.help) })
    }
    return text + "\nOptions of every verb:\n" + table(verb.shared.map { ($0.usage, $0.help) })
  }

  /// Returns the help of verbs that begin with the same words.
  static func text(ofGroup words: [String]) -> String {
    let verbs = Verb.visible.filter { $0.words.starts(with: words) }
    return "Usage: depot \(words.joined(separator: " ")) …\n\n"
      + table(verbs.map { ($0.name + ($0.operands.isEmpty ? "" : " ") + $0.operands, $0.summary) })
  }

  private static func table(_ lines: [(String, String)]) -> String {
    let width = lines.map(\.0.utf8.count).max() ?? 0
    return lines.map { left, right in
      "  \(left)\(String(repeating: " ", count: width - left.utf8.count))  \(right)\n"
    }.joined()
  }
}
