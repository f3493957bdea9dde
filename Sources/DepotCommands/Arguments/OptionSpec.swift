/// An option of the command line: how it is parsed, explained, and completed.
struct OptionSpec: Sendable {
  /// The option as it is typed and as the help shows it, such as `-w, --where PREDICATE`.
  let spelling: String
  /// The long name without its dashes.
  let name: String
  /// The letter of the short form, if it has one.
  let short: Character?
  /// The name of the value in the help; `nil` of an option that is only there or not.
  let value: String?
  let help: String
  let candidates: Candidates
  /// Whether it may be there several times.
  let isRepeatable: Bool

  init(
    _ spelling: String,
    help: String,
    candidates: Candidates = .none,
    isRepeatable: Bool = false
  ) {
    self.spelling = spelling
    let words = spelling.split(separator: " ").map(String.init)
    let long = words.firstIndex { $0.hasPrefix("--") } ?? 0
    name = String(words[long].dropFirst(2))
    short = long > 0 ? words[0].dropFirst().first : nil
    value = long + 1 < words.count ? words[long + 1] : nil
    self.help = help
    self.candidates = candidates
    self.isRepeatable = isRepeatable
  }

  /// The option as the help shows it, its long names below each other.
  var usage: String { (short == nil ? "    " : "") + spelling }
}

extension OptionSpec {
  static let socket = OptionSpec(
    "--socket PATH",
    help: "the service's socket (default: $DEPOT_SOCKET or the user's own)",
    candidates: .files
  )
  static let container = OptionSpec(
    "--container NAME",
    help: "the container to work in (default: the service's own store)"
  )
  static let noStart = OptionSpec(
    "--no-start",
    help: "don't start a service if none answers; as with DEPOT_NO_START=1"
  )
  static let output = OptionSpec(
    "-o, --output FORMAT",
    help: "table, expanded (a line for each value), json, ndjson, csv, tsv, or ids (default on a "
      + "terminal: table, or expanded if that is too wide; else ndjson)",
    candidates: .words(OutputFormat.allCases.map(\.rawValue))
  )
  static let author = OptionSpec(
    "--author NAME",
    help: "who the history says makes the changes (default: $DEPOT_AUTHOR)"
  )
  static let noPager = OptionSpec("--no-pager", help: "write long output to the terminal at once")
  static let noColor = OptionSpec("--no-color", help: "write no colours (also: NO_COLOR)")
  static let quiet = OptionSpec("-q, --quiet", help: "no progress and no summaries")
  static let helpFlag = OptionSpec("-h, --help", help: "show help")
  static let version = OptionSpec("--version", help: "show the version")

  /// The options that every verb has.
  static let global = [
    socket, container, author, noStart, output, quiet, noPager, noColor, helpFlag, version,
  ]

  static let predicate = OptionSpec(
    "-w, --where PREDICATE",
    help: "the rows that satisfy it, such as \"size > 10 AND name BEGINSWITH 'a'\"",
    candidates: .predicate
  )
  static let sort = OptionSpec(
    "--sort KEYS",
    help: "paths or expressions to sort by, as in country.name,tags.@count:desc,title:localized",
    candidates: .sortKeys
  )
  static let limit = OptionSpec("--limit N", help: "at most N rows")
  static let offset = OptionSpec("--offset N", help: "leave out the first N rows")
  static let select = OptionSpec(
    "--select NAMES",
    help: "these paths only, as in name,country.name,tags",
    candidates: .paths(.any)
  )
  static let versions = OptionSpec("--versions", help: "show the $version of each row")
  static let null = OptionSpec(
    "--null TEXT",
    help: "what stands for null in table, csv, and tsv (default: nothing)"
  )
  static let all = OptionSpec("--all", help: "every row of the entity")
  static let onConflict = OptionSpec(
    "--on-conflict WHAT",
    help: "error, skip, or replace if a unique value is taken (default: error)",
    candidates: .words(["error", "skip", "replace"])
  )

  static let bind = OptionSpec(
    "--bind NAME=TEXT",
    help: "the value of $NAME in predicates; NAME:=JSON for numbers and lists; repeatable",
    isRepeatable: true
  )
  static let noSubentities = OptionSpec(
    "--no-subentities",
    help: "leave out rows of entities that descend from it"
  )

  /// The options that say which rows are meant.
  static let matching = [predicate, bind, noSubentities]
  /// The options that say which rows are wanted, in which order.
  static let rows = [predicate, bind, noSubentities, sort, limit, offset, select]
}
