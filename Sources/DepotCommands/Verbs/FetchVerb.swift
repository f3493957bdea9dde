internal import DepotClient
internal import DepotProtocol

/// `depot fetch`: rows that satisfy a predicate.
enum FetchVerb {
  static let verb = Verb(
    words: ["fetch"],
    operands: "ENTITY",
    operandCount: 1...1,
    operand: .entity,
    summary: "show rows",
    examples: [
      "depot fetch Package --where \"section == 'database' AND installedSize > 10000\"",
      "depot fetch Package --sort installedSize:desc,name --limit 10 --select name,installedSize",
      "depot fetch Package -o csv > packages.csv",
    ],
    options: OptionSpec.rows + [OptionSpec.versions, OptionSpec.null],
    run: run
  )

  @Sendable private static func run(_ session: Session) throws -> Int32 {
    let request = try Selection.fetch(session.invocation)
    let connection = try session.connect()
    try stream(request, session.style(request.entity), connection, session)
    return 0
  }

  /// Writes rows as they arrive, with progress if nobody sees them on the terminal.
  static func stream(
    _ request: FetchRequest,
    _ style: RowStyle,
    _ connection: BlockingConnection,
    _ session: Session
  ) throws {
    let printer = style.printer(to: session.output)
    let meter = ProgressMeter(
      session.messages,
      isOn: !session.isOutputTerminal && !session.isQuiet
    )
    defer { meter.finish() }
    var count = 0
    try connection.fetch(request, columns: printer.begin) { row in
      try printer.print(&row)
      count += 1
      meter.update(rows: count)
    }
    try printer.end()
    try session.output.flush()
    meter.finish()
    if style.format == .table { sayCount(count, printer, session) }
  }

  /// Says how many rows a table has, and what of it doesn't fit.
  static func sayCount(_ count: Int, _ printer: any RowPrinter, _ session: Session) {
    let omitted = (printer as? TablePrinter)?.omittedColumns ?? 0
    let note =
      omitted > 0 ? " (\(Numbers.counted(omitted, "column")) left out; choose with --select)" : ""
    session.say(Numbers.counted(count, "row") + note)
  }
}
