/// A verb of the command line: how it is parsed, explained, completed, and run.
struct Verb: Sendable {
  /// What the shell offers for an operand.
  enum Operand: Sendable {
    case nothing
    case entity
    case entityThenPredicate
    case entityThenFile
    case entityThenAssignments
    case file
    case words([String])
  }

  /// The words that name it, such as `schema apply`.
  let words: [String]
  /// The operands as the help shows them.
  var operands = ""
  /// How many operands there may be.
  var operandCount: ClosedRange<Int> = 0...0
  var operand = Operand.nothing
  let summary: String
  /// What else is to know, after the examples.
  var details = ""
  let examples: [String]
  var options: [OptionSpec] = []
  /// Whether help and completion leave it out.
  var isHidden = false
  /// Runs the verb; returns the exit status.
  let run: @Sendable (Session) throws -> Int32

  /// The words with spaces between them.
  var name: String { words.joined(separator: " ") }

  /// The options that it takes, those of every verb included.
  var allOptions: [OptionSpec] { options + shared }

  /// The options of every verb, without those by which this one means something of its own.
  var shared: [OptionSpec] {
    OptionSpec.global.filter { option in !options.contains { $0.name == option.name } }
  }

  /// The first line of its help.
  var usage: String {
    let options = options.isEmpty ? "" : " [options]"
    return "depot \(name)" + (operands.isEmpty ? "" : " \(operands)") + options
  }
}

extension Verb {
  /// All verbs, in the order of the help.
  static let all: [Verb] = [
    FetchVerb.verb, WatchVerb.verb, GetVerb.verb, CountVerb.verb, ExistsVerb.verb,
    AggregateVerb.verb,
    InsertVerb.verb, UpdateVerb.verb, DeleteVerb.verb, SaveVerb.verb, ImportVerb.verb,
    ExportVerb.verb, ExplainVerb.verb,
    HistoryVerb.verb, LogVerb.verb, BlameVerb.verb, ShowVerb.verb, UndoVerb.verb, UndoVerb.redo,
    BlobGetVerb.verb, BlobPutVerb.verb,
    SchemaApplyVerb.verb, SchemaShowVerb.verb, SchemaDiagramVerb.verb,
    SchemaDiffVerb.verb, SchemaPlanVerb.verb, SchemaMigrateVerb.verb,
    ContainerOpenVerb.verb, ContainerListVerb.verb, ContainerCloseVerb.verb,
    ServiceStartVerb.verb, ServiceStopVerb.verb, ServiceStatusVerb.verb,
    StatsVerb.verb, PingVerb.verb, CallVerb.verb, ShellVerb.verb, CompletionsVerb.verb,
    HelpVerb.verb,
    VersionVerb.verb, CompleteVerb.verb,
  ]

  /// Those that people are told about.
  static let visible = all.filter { !$0.isHidden }
}
