/// An option of the command line: how it is parsed, explained, and completed.
struct OptionSpec: Sendable {
  /// The option as it is typed and shown in the help, such as `-w, --where PREDICATE`.
  let spelling: String
  /// The long name without its dashes.
  let name: String
  /// The letter of the short form, if it has one.
  let short: Character?
  /// The name of the value in the help; `nil` for an option without a value.
  let value: String?
  let help: String
  let candidates: Candidates
  /// Whether it may be repeated.
  let isRepeatable: Bool

  /// Creates an option from its spelling and, after a colon, its help.
  ///
  /// `candidates` are files by default if the value is named so.
  init(_ text: String, candidates: Candidates? = nil, isRepeatable: Bool = false) {
    let parts = text.split(separator: ": ", maxSplits: 1).map(String.init)
    spelling = parts[0]
    help = parts[1]
    let words = spelling.split(separator: " ").map(String.init)
    let long = words.firstIndex { $0.hasPrefix("--") } ?? 0
    name = String(words[long].dropFirst(2))
    short = long > 0 ? words[0].dropFirst().first : nil
    let value = long + 1 < words.count ? words[long + 1] : nil
    self.value = value
    let isFile = value.map(["FILE", "FILE|-", "DIR", "JOURNAL"].contains) ?? false
    self.candidates = candidates ?? (isFile ? .files : .none)
    self.isRepeatable = isRepeatable
  }

  /// The option in the help, with long names aligned.
  var usage: String { (short == nil ? "    " : "") + spelling }
}

extension OptionSpec: ExpressibleByStringInterpolation {
  init(stringLiteral text: String) { self.init(text) }
}

extension OptionSpec {
  static let socket = OptionSpec(
    "--socket PATH: the service's socket (default: $DEPOT_SOCKET or the user's own)",
    candidates: .files
  )
  static let container: OptionSpec =
    "--container NAME: the container to work in (default: the service's own store)"
  static let noStart: OptionSpec =
    "--no-start: don't start a service if none answers; as with DEPOT_NO_START=1"
  static let output = OptionSpec(
    "-o, --output FORMAT: table, expanded (a line for each value), json, ndjson, csv, tsv, or ids "
      + "(default on a terminal: table, or expanded if that is too wide; else ndjson)",
    candidates: .words(OutputFormat.allCases.map(\.rawValue))
  )
  static let author: OptionSpec =
    "--author NAME: who the history says makes the changes (default: $DEPOT_AUTHOR)"
  static let noPager: OptionSpec = "--no-pager: write long output to the terminal at once"
  static let noColor: OptionSpec = "--no-color: write no colours (also: NO_COLOR)"
  static let quiet: OptionSpec = "-q, --quiet: no progress and no summaries"
  static let helpFlag: OptionSpec = "-h, --help: show help"
  static let version: OptionSpec = "--version: show the version"

  /// The options that every verb has.
  static let global = [
    socket, container, author, noStart, output, quiet, noPager, noColor, helpFlag, version,
  ]

  static let predicate = OptionSpec(
    "-w, --where PREDICATE: the rows that satisfy it, such as "
      + "\"size > 10 AND name BEGINSWITH 'a'\"",
    candidates: .predicate
  )
  static let sort = OptionSpec(
    "--sort KEYS: paths or expressions to sort by, as in "
      + "country.name,tags.@count:desc,title:localized",
    candidates: .sortKeys
  )
  static let limit: OptionSpec = "--limit N: at most N rows"
  static let offset: OptionSpec = "--offset N: leave out the first N rows"
  static let after = OptionSpec(
    "--after PLACE: only rows after it: a row's identifier, or JSON of its sort keys' values and "
      + "identifier"
  )
  static let select = OptionSpec(
    "--select NAMES: these paths only, as in name,country.name,tags",
    candidates: .paths(.any)
  )
  static let versions: OptionSpec = "--versions: show the $version of each row"
  static let null: OptionSpec =
    "--null TEXT: the text for null in table, csv, and tsv (default: nothing)"
  static let all: OptionSpec = "--all: every row of the entity"
  static let onConflict = OptionSpec(
    "--on-conflict WHAT: error, skip, or replace if a unique value is taken (default: error)",
    candidates: .words(["error", "skip", "replace"])
  )

  static let bind = OptionSpec(
    "--bind NAME=TEXT: the value of $NAME in predicates; NAME:=JSON for numbers and lists; "
      + "repeatable",
    isRepeatable: true
  )
  static let noSubentities: OptionSpec =
    "--no-subentities: leave out rows of entities that descend from it"

  /// The options that select rows.
  static let matching = [predicate, bind, noSubentities]
  /// The options that choose rows and their order.
  static let rows = [predicate, bind, noSubentities, sort, limit, offset, select]
}
