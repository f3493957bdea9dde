internal import DepotClientCore
internal import DepotProtocol

/// The rows of an answer, written as they arrive.
enum RowStream {
  /// Writes rows as they arrive, with progress if they aren't shown on the terminal.
  ///
  /// `check` may refuse a frame before its rows are written.
  ///
  /// - Returns: How many rows there were.
  @discardableResult
  static func write(
    _ operation: Operation,
    _ style: RowStyle,
    _ connection: BlockingConnection,
    _ session: CommandSession,
    hasIdentity: Bool = false,
    check: @escaping (RowFrame) throws -> Void = { _ in }
  ) throws -> Int {
    let printer = style.printer(to: session.output)
    let meter = session.meter(ofOutput: true)
    defer { meter.finish() }
    var count = 0
    let result = try printer.writing {
      try counting({ count }, in: session.output) {
        try connection.send(operation) { frame in
          if let names = frame.columns {
            // Printers expect an identity, and leave it out if the rows have none.
            try printer.begin(columns: hasIdentity ? names : ["$id", "$version"] + names)
          }
          try check(frame)
          try frame.withRows(hasIdentity: hasIdentity) { row in
            try printer.print(&row)
            count += 1
            meter.update(rows: count)
          }
        }
      }
    }
    try writeSections(result, style, session)
    try session.output.flush()
    meter.finish()
    if style.format.isTable, hasIdentity { sayCount(count, printer, session) }
    sayLengths(printer, session)
    return count
  }

  /// Runs `body`, which writes rows; an error says how many were written before it, unless the output
  /// failed: nobody knows how many of the buffer's rows it has.
  static func counting<Result>(
    _ count: () -> Int,
    in output: ByteSink,
    _ body: () throws -> Result
  ) throws -> Result {
    do {
      return try body()
    } catch var error as DepotError where count() > 0 && !output.hasFailed {
      if error.code == .outboundTooLarge {
        error.message = "The service ended the read, since nobody took the output for too long."
      }
      error.message += " \(Numbers.counted(count(), "row")) before it were written."
      if [.disconnected, .streamExpired, .outboundTooLarge].contains(error.code) {
        error.hint =
          "The same command with --offset \(count()) writes the rest, unless rows came or went meanwhile."
      }
      throw error
    }
  }

  /// Writes the sections of a result, if it has any.
  private static func writeSections(
    _ result: JSONNode,
    _ style: RowStyle,
    _ session: CommandSession
  ) throws {
    var reader = try JSONObjectReader(result)
    guard let node = reader.optional("sections") else { return }
    let sections = try JSONValue(node)
    guard style.format.isTable else {
      return session.output.append(JSONValue.object(["$sections": sections]).text + "\n")
    }
    session.output.append("\n")
    let rows = (sections.array ?? []).compactMap(\.array).filter { $0.count == 2 }.map { section in
      let key = section[0] == .null ? style.nullText : section[0].string ?? section[0].text
      return [TableCell(text: TextWidth.printable(key)), .number(section[1].text)]
    }
    try TablePrinter.write(["section", "rows"], rows, style, to: session.output)
  }

  /// Says that values are only printed as their lengths, where that can't be seen.
  static func sayLengths(_ printer: any RowPrinter, _ session: CommandSession) {
    guard let count = (printer as? DelimitedPrinter)?.lengthCount, count > 0 else { return }
    session.say(
      "\(Numbers.counted(count, "value")) outside of the rows: only {\"$length\":…} was written. "
        + "depot blob get ENTITY/ID ATTRIBUTE writes such a value."
    )
  }

  /// Says how many rows a table has, and how many columns didn't fit.
  static func sayCount(_ count: Int, _ printer: any RowPrinter, _ session: CommandSession) {
    let omitted = (printer as? TablePrinter)?.omittedColumns ?? 0
    let note =
      omitted > 0
      ? " (\(Numbers.counted(omitted, "column")) left out; choose with --select, or -o expanded)"
      : ""
    session.say(Numbers.counted(count, "row") + note)
  }
}
