internal import DepotLinux
internal import DepotProtocol

/// The help texts, made from the table of verbs, in lines that fit a terminal.
struct Help {
  /// The most columns of a line.
  let width: Int
  private let verbs: VerbTable

  /// The width if the terminal's is unknown, and for texts that aren't for a terminal.
  private static let standardWidth = 80
  /// Lines that are longer are hard to read.
  private static let widest = 100

  init(of verbs: VerbTable, width: Int) {
    self.verbs = verbs
    self.width = min(width, Self.widest)
  }

  /// Creates the texts for a descriptor, with the width of `$COLUMNS` or else of its terminal.
  init(of verbs: VerbTable, for descriptor: Int32) {
    self.init(of: verbs, width: Terminal.wantedWidth(descriptor) ?? Self.standardWidth)
  }

  /// The output of `depot --help`, which fits a terminal of 24 lines.
  var full: String {
    prose("depot \(ProtocolVersion.software): an object store. Usage: depot [options] VERB …")
      + "\n"
      + table(verbs.groups.map { ($0.name + ":", $0.names) })
      + "\nExamples:\n"
      + commands([
        "depot import Package packages.ndjson",
        "depot fetch Package --where \"section == 'database'\" --sort name --limit 10",
      ])
      + "\nMore help:\n"
      + table(
        [("VERB --help", "show what a verb does, with examples and its options")]
          + HelpList.allCases.map { ("help \($0.rawValue)", $0.summary) }
          + HelpTopic.all.map { ("help \($0.name)", $0.summary) }
      )
  }

  /// Returns the help text of a list.
  func text(of list: HelpList) -> String {
    switch list {
    case .verbs:
      verbs.groups.map { group in
        group.name + ":\n" + table(group.verbs.map { ($0.name, $0.summary) })
      }
      .joined(separator: "\n")
    case .options: options(OptionSpec.global) + "\n" + prose(Self.notes)
    }
  }

  /// Explanations that apply to all verbs.
  static let notes = """
    The socket is --socket, else $DEPOT_SOCKET, else $XDG_RUNTIME_DIR/depot/depot.sock, else
    /tmp/depot-UID/depot.sock. If no service answers at one of the last two, one is started with the
    store that the last one there had, unless that was stopped; see depot service start --help.

    Output that is longer than the terminal goes through $DEPOT_PAGER, else $PAGER, else less; with an
    empty $DEPOT_PAGER, or --no-pager, it doesn't. $COLUMNS says how wide the terminal is if it is to
    look narrower or wider.

    With DEPOT_LOG=1 in the environment, a line on the standard error tells each operation that is asked
    for, with its predicate, how long it took, and how many rows it was about; so does every program that
    uses the Swift libraries.

    Ctrl-C cancels a change that is under way, and its end tells what became of it: status 0 with the
    result if it was stored before that, 130 if it was not, 69 if the service is gone and nobody knows.
    A second Ctrl-C ends the program at once.
    """

  /// Returns the text for `depot VERB --help`.
  func text(of verb: Verb) -> String {
    var text = prose("\(verb.summary.prefix(1).uppercased())\(verb.summary.dropFirst()).")
    text += "\nExamples:\n" + commands(verb.examples)
    text += "\n" + usage("Usage: \(verb.usage)")
    if !verb.details.isEmpty { text += "\n" + prose(verb.details) }
    if !verb.options.isEmpty { text += "\nOptions:\n" + options(verb.options) }
    return text + "\nOptions of every verb:\n" + options(verb.shared)
  }

  /// Returns the help of verbs that begin with the same words.
  func text(ofGroup words: [String]) -> String {
    var text = "Usage: depot \(words.joined(separator: " ")) …\n\n" + verbs(ofGroup: words)
    if let topic = HelpTopic.all.first(where: { [$0.name] == words }) {
      text += "\n" + prose("For \(topic.summary): depot help \(topic.name)")
    }
    return text
  }

  /// Returns the verbs with the same first words, and their summaries.
  func verbs(ofGroup words: [String]) -> String {
    table(
      verbs.visible.filter { $0.words.starts(with: words) }.map { ($0.synopsis, $0.summary) }
    )
  }

  /// Returns the text of a help topic.
  func text(of topic: HelpTopic) -> String {
    topic.parts.enumerated().map { index, part in
      switch part {
      case .heading(let text): "\n\(text):\n"
      case .prose(let text) where index == 0: prose(text)
      case .prose(let text): Help(of: verbs, width: width - 2).prose(text).indented(by: 2)
      case .examples(let examples): table(examples)
      case .code(let text): text.indented(by: 2) + "\n"
      case .commands(let lines): commands(lines)
      }
    }.joined()
  }

  private func prose(_ text: String) -> String { TextFlow.paragraphs(text, width: width) }

  private func usage(_ text: String) -> String {
    TextFlow.lines(text, width: width - 2).joined(separator: "\n  ") + "\n"
  }

  private func table(_ rows: [(String, String)]) -> String {
    TextFlow.table(rows, width: width)
  }

  private func options(_ options: [OptionSpec]) -> String {
    table(options.map { ($0.usage, $0.help) })
  }

  private func commands(_ lines: [String]) -> String {
    lines.map { TextFlow.command($0, width: width - 2) }.joined().indented(by: 2)
  }
}
