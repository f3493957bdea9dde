/// An option of the command line: how it is parsed, explained, and completed.
struct OptionSpec: Sendable {
  /// What the shell offers for a value.
  enum Candidates: Sendable {
    case none
    case files
    case entities
    /// Key paths, with commas between.
    case paths(PathCompletion.Kind)
    /// Keys to sort by, with commas between.
    case sortKeys
    /// A predicate, which only the shell of depot itself can complete.
    case predicate
    case words([String])
  }

  /// The long name without its dashes.
  let name: String
  /// The letter of the short form, if it has one.
  var short: Character?
  /// What the help calls the value; `nil` of an option that is only there or not.
  var value: String?
  let help: String
  var candidates = Candidates.none
  /// Whether it may be there several times.
  var isRepeatable = false

  /// The option as the help shows it.
  var usage: String {
    (short.map { "-\($0), " } ?? "    ") + "--\(name)" + (value.map { " \($0)" } ?? "")
  }
}

extension OptionSpec {
  static let socket = OptionSpec(
    name: "socket",
    value: "PATH",
    help: "the service's socket (default: $DEPOT_SOCKET or the user's own)",
    candidates: .files
  )
  static let container = OptionSpec(
    name: "container",
    value: "NAME",
    help: "the container to work in (default: the service's own store)"
  )
  static let noStart = OptionSpec(
    name: "no-start",
    help: "don't start a service if none answers"
  )
  static let output = OptionSpec(
    name: "output",
    short: "o",
    value: "FORMAT",
    help: "table, json, ndjson, csv, tsv, or ids (default: table on a terminal, else ndjson)",
    candidates: .words(OutputFormat.allCases.map(\.rawValue))
  )
  static let author = OptionSpec(
    name: "author",
    value: "NAME",
    help: "who the history says makes the changes (default: $DEPOT_AUTHOR)"
  )
  static let noColor = OptionSpec(name: "no-color", help: "write no colours (also: NO_COLOR)")
  static let quiet = OptionSpec(name: "quiet", short: "q", help: "no progress and no summaries")
  static let helpFlag = OptionSpec(name: "help", short: "h", help: "show help")
  static let version = OptionSpec(name: "version", help: "show the version")

  /// The options that every verb has.
  static let global = [
    socket, container, author, noStart, output, quiet, noColor, helpFlag, version,
  ]

  static let predicate = OptionSpec(
    name: "where",
    short: "w",
    value: "PREDICATE",
    help: "the rows that satisfy it, such as \"size > 10 AND name BEGINSWITH 'a'\"",
    candidates: .predicate
  )
  static let sort = OptionSpec(
    name: "sort",
    value: "KEYS",
    help: "paths or expressions to sort by, as in name,country.name:desc,title:localized",
    candidates: .sortKeys
  )
  static let limit = OptionSpec(name: "limit", value: "N", help: "at most N rows")
  static let offset = OptionSpec(name: "offset", value: "N", help: "leave out the first N rows")
  static let select = OptionSpec(
    name: "select",
    value: "NAMES",
    help: "these paths only, as in name,country.name,tags",
    candidates: .paths(.any)
  )
  static let versions = OptionSpec(name: "versions", help: "show the $version of each row")
  static let null = OptionSpec(
    name: "null",
    value: "TEXT",
    help: "what stands for null in table, csv, and tsv (default: nothing)"
  )
  static let all = OptionSpec(name: "all", help: "every row of the entity")
  static let onConflict = OptionSpec(
    name: "on-conflict",
    value: "WHAT",
    help: "error, skip, or replace if a unique value is taken (default: error)",
    candidates: .words(["error", "skip", "replace"])
  )

  static let bind = OptionSpec(
    name: "bind",
    value: "NAME=TEXT",
    help: "the value of $NAME in predicates; NAME:=JSON for numbers and lists; repeatable",
    isRepeatable: true
  )
  static let noSubentities = OptionSpec(
    name: "no-subentities",
    help: "leave out rows of entities that descend from it"
  )

  /// The options that say which rows are meant.
  static let matching = [predicate, bind, noSubentities]
  /// The options that say which rows are wanted, in which order.
  static let rows = [predicate, bind, noSubentities, sort, limit, offset, select]
}
