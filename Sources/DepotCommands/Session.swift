internal import DepotClient
internal import DepotLinux
internal import DepotProtocol

/// One run of the command line program: what was asked, and where the answer goes.
struct Session {
  private(set) var invocation: Invocation
  let output: ByteSink
  let messages: Messages
  /// The output format that was asked for; `nil` if the program may choose.
  private(set) var chosenFormat: OutputFormat?
  /// Whether standard output is a terminal.
  let isOutputTerminal: Bool
  /// What an interruption by the user does to a write.
  let interruption: Interruption

  init(_ invocation: Invocation, output: Descriptor, messages: Messages) throws(DepotError) {
    self.invocation = invocation
    self.output = ByteSink(output)
    self.messages = messages
    interruption = Interruption {
      messages.write(
        "Cancelling the change. Ctrl-C again leaves without knowing what became of it.\n"
      )
    }
    isOutputTerminal = Terminal.isTerminal(output.number)
    chosenFormat = try invocation.choice(.output, OutputFormat.self)
  }

  /// The output format: a table for people, NDJSON for programs, unless told otherwise.
  var format: OutputFormat { chosenFormat ?? (isOutputTerminal ? .table : .ndjson) }

  /// Whether the answer is for a program that reads JSON.
  var writesJSON: Bool { format == .json || format == .ndjson }

  /// The socket of the service.
  var socket: SocketPath { invocation.value(.socket).map(SocketPath.init) ?? .default }

  /// Whether to say what people like to know and programs don't.
  var isQuiet: Bool { invocation.has(.quiet) }

  /// Who the history says makes the changes.
  private var author: String? {
    // Some verbs mean another by the option.
    let named = hasOwn(.author) ? nil : invocation.value(.author)
    return named ?? Process.environment("DEPOT_AUTHOR").flatMap { $0.isEmpty ? nil : $0 }
  }

  private func hasOwn(_ option: OptionSpec) -> Bool { Self.has(invocation, itsOwn: option) }

  private static func has(_ invocation: Invocation, itsOwn option: OptionSpec) -> Bool {
    invocation.verb?.options.contains { $0.name == option.name } ?? false
  }

  /// Connects to the service.
  ///
  /// - Parameter mayStart: Whether a service is started if none answers and the user allows it.
  /// - Returns: The connection.
  /// - Throws: ``DepotError`` `unavailable.service` if there is none.
  func connect(mayStart: Bool = true) throws(DepotError) -> BlockingConnection {
    let policy: StartPolicy = mayStart && !invocation.has(.noStart) ? .ifMissing : .never
    let connection = try BlockingConnection(
      socket: socket,
      start: policy,
      name: "depot",
      container: invocation.value(.container),
      author: author
    )
    connection.interruption = interruption
    return connection
  }

  /// Returns the session with another socket or container.
  func using(socket: String?, container: String?) -> Session {
    var copy = self
    if let socket { copy.invocation.options[OptionSpec.socket.name] = socket }
    if let container { copy.invocation.options[OptionSpec.container.name] = container }
    return copy
  }

  /// Returns the session of another command line, which has this one's options of every verb.
  func running(_ invocation: Invocation) throws(DepotError) -> Session {
    var copy = self
    copy.invocation = invocation
    for option in OptionSpec.global
    where copy.invocation.options[option.name] == nil && !Self.has(invocation, itsOwn: option) {
      copy.invocation.options[option.name] = self.invocation.options[option.name]
    }
    copy.chosenFormat = try copy.invocation.choice(.output, OutputFormat.self)
    return copy
  }

  /// Returns the words for this session's options of every verb that another command line lacks.
  func inherited(_ other: Invocation) -> [String] {
    OptionSpec.global.flatMap { option -> [String] in
      guard let value = invocation.options[option.name], other.options[option.name] == nil,
        !Self.has(other, itsOwn: option)
      else {
        return []
      }
      return option.value == nil ? ["--\(option.name)"] : ["--\(option.name)", value]
    }
  }

  /// Returns what rows of `entity` look like.
  func style(_ entity: String) -> RowStyle {
    var style = RowStyle(entity: entity, format: format)
    style.nullText = invocation.value(.null) ?? ""
    style.showsVersion = invocation.has(.versions)
    if isOutputTerminal {
      style.width = Terminal.width(1)
      style.usesColor = Messages.allowsColor(!invocation.has(.noColor))
    }
    return style
  }

  /// Says something to people, unless they want it quiet.
  func say(_ text: String) {
    if !isQuiet { messages.write(text + "\n") }
  }

  /// Writes an answer that is a small document: compact for programs, else laid out.
  func write(_ value: JSONValue) {
    let text = value.text
    if chosenFormat == .ndjson || !isOutputTerminal && chosenFormat == nil {
      output.append(text + "\n")
    } else {
      output.append(PrettyJSON.text(of: Array(text.utf8)) + "\n")
    }
  }

  /// Writes an answer: `value` for programs, `text` for people.
  func write(_ value: JSONValue, orText text: String) {
    writesJSON ? write(value) : output.append(text + "\n")
  }
}
