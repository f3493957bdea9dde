/// A verb of the command line: how it is parsed, explained, completed, and run.
struct Verb: Sendable {
  /// The words that name it, with spaces between them, such as `schema apply`.
  let name: String
  var operands = Operands.none
  let summary: String
  /// The rest of the help, after the examples.
  var details = ""
  let examples: [String]
  var options: [OptionSpec] = []
  /// The options that stand for the last word of its name, as in `schema --swift`.
  var impliedBy: [OptionSpec] = []
  /// The words of its errors.
  var terms = Terms.commandLine
  /// Whether it runs other verbs, each with output of its own.
  var runsVerbs = false
  let run: @Sendable (CommandSession) throws -> Void

  var words: [String] { name.split(separator: " ").map(String.init) }

  /// All options that it accepts, including the shared ones.
  var allOptions: [OptionSpec] { options + shared }

  /// The options of every verb, without any that this verb defines itself.
  var shared: [OptionSpec] { OptionSpec.global.filter { !has($0) } }

  /// Whether it has an option of this name itself.
  func has(_ option: OptionSpec) -> Bool { options.contains { $0.name == option.name } }

  /// Whether this program opens the files of a command line itself, instead of depotd.
  func opensFiles(_ invocation: Invocation) -> Bool {
    switch name {
    case "schema infer", "schema apply", "schema show", "insert", "save", "blob put", "blob get":
      true
    case "import": !["all", "apple"].contains { invocation.options[$0] != nil }
    default: false
    }
  }

  /// The name with the operands.
  var synopsis: String { operands.text.isEmpty ? name : "\(name) \(operands.text)" }

  /// The first line of its help.
  var usage: String { "depot \(synopsis)" + (options.isEmpty ? "" : " [options]") }
}

extension Verb {
  /// The form of the requests that a user writes for a verb.
  enum Terms: Sendable {
    /// Operands and options.
    case commandLine
    /// The arguments of an operation of the protocol, in a file.
    case arguments
    /// An operation of the protocol.
    case operation
  }

  /// The operands of a verb.
  struct Operands: Sendable {
    /// The operands as the help shows them.
    let text: String
    let count: ClosedRange<Int>
    private let candidates: [Candidates]

    init(_ text: String, _ count: ClosedRange<Int>, _ candidates: Candidates...) {
      self.text = text
      self.count = count
      self.candidates = candidates
    }

    /// Returns the kind of candidates for the operand at a position.
    func candidates(at position: Int) -> Candidates {
      if position < candidates.count { return candidates[position] }
      switch candidates.last {
      case .assignments?: return .assignments
      case .help?: return .help
      default: return .none
      }
    }

    /// Whether the operand at a position is the name of a file.
    func areFiles(at position: Int) -> Bool {
      candidates.isEmpty ? false : candidates[min(position, candidates.count - 1)].areFiles
    }

    /// Whether an empty text may be the operand at a position.
    ///
    /// The first operand names something, except of a verb whose operands are any words.
    func mayBeEmpty(at position: Int) -> Bool {
      candidates.isEmpty || position > 0 && !areFiles(at: position)
    }

    static let none = Self("", 0...0)
    static let name = Self("NAME", 1...1)
    static let token = Self("[TOKEN]", 0...1)
    static let file = Self("FILE|-", 1...1, .files)
    static let entity = Self("ENTITY", 1...1, .entities)
    static let row = Self("ENTITY/ID", 1...1, .entities)
    static let entityAndPredicate = Self("ENTITY [PREDICATE]", 1...2, .entities, .predicate)
    static let history = Self("[ENTITY | ENTITY/ID …]", 0...Int.max, .entities)
  }
}

/// The end of a verb with an exit status other than 0.
struct ExitStatus: Error {
  let status: Int32

  /// Ends the verb, unless the status is 0.
  static func end(with status: Int32) throws(ExitStatus) {
    if status != 0 { throw ExitStatus(status: status) }
  }
}
