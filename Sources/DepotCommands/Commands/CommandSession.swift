internal import DepotClientCore
internal import DepotLinux
internal import DepotProtocol

/// One run of the command line program: its arguments, output, and messages.
struct CommandSession {
  private(set) var invocation: Invocation
  /// The verbs of the program.
  let verbs: VerbTable
  let output: ByteSink
  let messages: Messages
  /// The requested output format; `nil` if the program may choose.
  private(set) var chosenFormat: OutputFormat?
  /// The group of the command's changes in the history, which are undone together.
  var group: String?
  /// Whether standard output is a terminal.
  let isOutputTerminal: Bool
  /// The pager for long output on a terminal.
  private let pager: Pager?
  /// The buffer for slow readers; `nil` in the shell, where each line is a run of its own.
  private let spool: OutputSpool?
  private let descriptor: Descriptor
  /// The effect of an interruption by the user on a write.
  let interruption: Interruption

  init(
    _ invocation: Invocation,
    of verbs: VerbTable,
    output: Descriptor,
    messages: Messages
  ) throws(DepotError) {
    self.invocation = invocation
    self.verbs = verbs
    isOutputTerminal = Terminal.isTerminal(output.number)
    // Each of the verbs that a verb runs has a pager and a buffer of its own.
    let runsVerbs = invocation.verb?.runsVerbs == true
    let pager = runsVerbs || invocation.has(.noPager) ? nil : Pager(output)
    self.pager = pager
    descriptor = output
    let spool = runsVerbs ? nil : OutputSpool()
    self.spool = spool
    self.output = ByteSink { bytes throws(SystemError) in
      let output = pager?.input ?? output
      if let spool { try spool.write(bytes, to: output) } else { try output.write(bytes) }
    }
    var paged = messages
    paged.pager = pager
    self.messages = paged
    interruption = Interruption {
      messages.write(
        "Cancelling the change. Ctrl-C again quits without waiting for the outcome.\n"
      )
    }
    chosenFormat = try invocation.choice(.output, OutputFormat.self)
    let separators = [OutputFormat.csv: ",", .tsv: "\t"]
    if let text = invocation.value(.null), let separator = chosenFormat.flatMap({ separators[$0] }),
      text.utf8.contains(where: { "\(separator)\"\r\n".utf8.contains($0) })
    {
      throw DepotError(
        .usage,
        "The text for null can't have separators, quotation marks, or line ends."
      )
      .hint("Choose another one, such as: --null '\\N'")
    }
  }

  /// The output format: by default a table for people, and NDJSON for programs.
  var format: OutputFormat { chosenFormat ?? (isOutputTerminal ? .table : .ndjson) }

  /// Checks that an answer, perhaps with an option, can be written in the output format.
  ///
  /// - Throws: ``DepotError`` `request.usage` that lists the possible formats.
  func require(
    _ formats: [OutputFormat],
    with option: OptionSpec? = nil
  ) throws(DepotError) {
    guard !formats.contains(format) else { return }
    let names = formats.map { "-o \($0.rawValue)" }
    let list = names.dropLast().joined(separator: ", ") + " or " + (names.last ?? "")
    let verb = [invocation.verb?.name, option.map { "--\($0.name)" }].compactMap(\.self)
    throw DepotError(
      .usage,
      "The answer of depot \(verb.joined(separator: " ")) can't be shown as \(format.rawValue)."
    ).hint("Use \(list).")
  }

  /// Whether the answer is written as JSON, for a program.
  var writesJSON: Bool { format == .json || format == .ndjson }

  /// Whether errors are written as JSON, for a program, and so stay unchanged.
  var reportsJSON: Bool { chosenFormat == .json || chosenFormat == .ndjson }

  /// The socket of the service.
  var socket: SocketPath { invocation.value(.socket).map(SocketPath.init) ?? .default }

  /// Whether to leave out remarks that are for people only.
  var isQuiet: Bool { invocation.has(.quiet) }

  /// The author of the changes in the history.
  var author: String? {
    // For some verbs, the option `--author` selects the author of past changes.
    let named = invocation.verb?.has(.author) == true ? nil : invocation.value(.author)
    return named ?? Process.environment("DEPOT_AUTHOR")
  }

  /// Connects to the service, which may be started unless its socket is named.
  ///
  /// - Throws: ``DepotError`` `unavailable.service` if there is none.
  func connect(mayStart: Bool = true) throws(DepotError) -> BlockingConnection {
    let isAllowed = mayStart && !invocation.has(.noStart) && invocation.value(.socket) == nil
    let connection = try BlockingConnection(
      socket: socket,
      start: isAllowed ? .ifMissing : .never,
      name: "depot",
      container: invocation.value(.container),
      author: author
    )
    connection.interruption = interruption
    connection.group = group
    return connection
  }

  /// Starts a group of its own for the command's changes.
  mutating func beginGroup() {
    let name = invocation.verb?.name ?? "depot"
    group = "\(name)-\(String(UInt64.random(in: .min ... .max), radix: 16))"
  }

  /// Returns the schema of the container that a command line names; `nil` if there is no service.
  ///
  /// Completions use it, and an error message in the middle of typing would only disturb.
  func schema(for invocation: Invocation) -> Schema? {
    try? running(invocation).connect(mayStart: false).schema()
  }

  /// Returns a session for another command line, with this session's options of every verb.
  func running(_ invocation: Invocation) throws(DepotError) -> CommandSession {
    var copy = self
    copy.invocation = invocation
    for option in inherited(invocation) {
      copy.invocation.options[option.name] = self.invocation.options[option.name]
    }
    copy.chosenFormat = try copy.invocation.choice(.output, OutputFormat.self)
    return copy
  }

  /// Returns the options of every verb that this session has and another command line lacks.
  private func inherited(_ other: Invocation) -> [OptionSpec] {
    OptionSpec.global.filter { option in
      invocation.has(option) && !other.has(option) && other.verb?.has(option) != true
    }
  }

  /// Returns the words for the options that another command line inherits from this session.
  func inheritedWords(_ other: Invocation) -> [String] {
    inherited(other).flatMap { option in
      ["--\(option.name)"] + (option.value == nil ? [] : [invocation.value(option) ?? ""])
    }
  }

  /// Pages later output on a terminal, and buffers it for a slow reader.
  func beginPaging() {
    pager?.begin()
    spool?.begin()
  }

  /// Waits until all output has been read.
  ///
  /// - Throws: ``OutputClosed`` if nobody reads it, ``DepotError`` `storage.io` if it can't be written.
  func finishOutput() throws {
    try output.flush()
    guard let spool, spool.count > 0 else { return }
    do throws(SystemError) {
      try spool.finish(to: pager?.input ?? descriptor)
    } catch {
      throw output.failure(error)
    }
  }

  /// Ends the pager's input, if there is a pager, and waits until the user leaves it.
  func endPaging() { pager?.end() }

  /// The width of the output in columns; `nil` unless it is a terminal.
  var outputWidth: Int? { isOutputTerminal ? Terminal.wantedWidth(1) : nil }

  /// Returns the style of rows of `entity`, with its columns of JSON where they matter.
  func style(knowing entity: String) throws -> RowStyle {
    var style = style(entity)
    guard [.csv, .tsv].contains(style.format) else { return style }
    let schema = try connect().schema()
    let family = [entity] + schema.descendants(of: entity).map(\.name)
    for field in family.flatMap({ schema[$0].map(schema.fields) ?? [] })
    where field.attribute.type == .json && field.attribute.collection == nil {
      style.jsonColumns.insert(field.path)
    }
    return style
  }

  /// Returns the style of rows of `entity`.
  func style(_ entity: String) -> RowStyle {
    var style = RowStyle(entity: entity, format: format)
    style.nullText = invocation.value(.null) ?? ""
    style.showsVersion = invocation.has(.versions)
    if isOutputTerminal {
      style.width = outputWidth
      style.mayExpand = chosenFormat == nil
      style.usesColor = Messages.allowsColor(!invocation.has(.noColor))
    }
    return style
  }

  /// Returns the display of progress, which is off if the output itself is shown on the terminal.
  func meter(ofOutput: Bool = false) -> ProgressMeter {
    ProgressMeter(messages, isOn: !isQuiet && !(ofOutput && isOutputTerminal))
  }

  /// Writes a message for people, unless they want quiet.
  func say(_ text: String) {
    guard !isQuiet else { return }
    // Writing a message ends the pager, so the output must be finished before.
    _ = try? finishOutput()
    let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
    let wrapped = lines.map {
      TextFlow.wrapped(String($0), width: messages.wrapsAt, indentation: 0)
    }
    messages.write(wrapped.joined(separator: "\n") + "\n")
  }

  /// Writes a small JSON document: compact for programs, indented for people.
  func write(_ value: JSONValue) {
    let text = value.text
    if chosenFormat == .ndjson || !isOutputTerminal && chosenFormat == nil {
      output.append(text + "\n")
    } else {
      output.append(PrettyJSON.text(of: text) + "\n")
    }
  }

  /// Writes an answer: `value` for programs, `text` for people.
  func write(_ value: JSONValue, orText text: String) {
    if writesJSON { return write(value) }
    let lines = text.split(separator: "\n", omittingEmptySubsequences: false).map { line in
      let line = String(line)
      guard let width = outputWidth, TextWidth.columns(line) > width else { return line }
      return TextFlow.wrapped(line, width: width, indentation: 2)
    }
    output.append(lines.joined(separator: "\n") + "\n")
  }

  /// Writes an answer: `value` for programs, a list as lines of NDJSON, and a table for people.
  func write(
    _ value: JSONValue,
    orTable headings: [String],
    whole: Set<Int> = [],
    _ rows: [[TableCell]]
  ) throws {
    guard format.isTable else {
      guard format == .ndjson, case .array(let elements) = value else { return write(value) }
      for element in elements { output.append(element.text + "\n") }
      return
    }
    try TablePrinter.write(headings, rows, whole: whole, style(""), to: output)
  }

  /// Writes a further table, unless it has no rows.
  func append(_ headings: [String], _ rows: [[TableCell]]) throws {
    if rows.isEmpty { return }
    output.append("\n")
    try TablePrinter.write(headings, rows, style(""), to: output)
  }
}
