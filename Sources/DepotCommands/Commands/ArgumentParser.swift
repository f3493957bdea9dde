internal import DepotProtocol

/// A parser of command lines, based on the table of verbs.
struct ArgumentParser {
  private(set) var invocation = Invocation()
  /// The last option, if its value is still missing.
  private(set) var pending: OptionSpec?
  private(set) var areOptionsOver = false
  private let verbs: VerbTable
  private var rest: ArraySlice<String>

  private init(_ arguments: [String], _ verbs: VerbTable) {
    self.verbs = verbs
    rest = arguments[...]
  }

  /// Reads the beginning of a command line, ignoring mistakes.
  init(incomplete arguments: [String], of verbs: VerbTable) {
    self.init(arguments, verbs)
    while let argument = rest.popFirst() { try? take(argument) }
  }

  /// Reads the arguments that follow the program's name.
  ///
  /// - Throws: ``DepotError`` `request.usage` that names the argument and a probable correction.
  static func parse(
    _ arguments: [String],
    of verbs: VerbTable
  ) throws(DepotError) -> Invocation {
    var parser = ArgumentParser(arguments, verbs)
    while let argument = parser.rest.popFirst() {
      try parser.take(argument)
    }
    if !parser.invocation.has(.helpFlag) { try parser.checkOperands() }
    return parser.invocation
  }

  private mutating func take(_ argument: String) throws(DepotError) {
    if areOptionsOver || argument == "-" || !argument.hasPrefix("-") {
      try takeOperand(argument)
    } else if argument == "--" {
      areOptionsOver = true
    } else if argument.hasPrefix("--") {
      let parts = argument.dropFirst(2)
        .split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      try takeLong(String(parts[0]), value: parts.count > 1 ? String(parts[1]) : nil)
    } else {
      try takeShort(argument.dropFirst())
    }
  }

  private mutating func takeOperand(_ word: String) throws(DepotError) {
    if let verb = invocation.verb {
      // A verb may begin with the words of another.
      let longer = verbs.all.first { $0.words == verb.words + [word] }
      guard let longer, invocation.operands.isEmpty else {
        return invocation.operands.append(word)
      }
      invocation.verb = longer
      return
    }
    let words = invocation.incompleteVerb + [word]
    if let verb = verbs.all.first(where: { $0.words == words }) {
      invocation.verb = verb
      invocation.incompleteVerb = []
    } else if verbs.all.contains(where: { $0.words.starts(with: words) }) {
      invocation.incompleteVerb = words
    } else {
      defer { invocation.incompleteVerb = words }
      throw verbs.unknownVerb(word, after: invocation.incompleteVerb)
    }
  }

  /// The options that are allowed here.
  var known: [OptionSpec] { invocation.verb?.allOptions ?? OptionSpec.global }

  private mutating func takeLong(_ name: String, value: String?) throws(DepotError) {
    // Other programs spell `completions SHELL` like this.
    if name == "generate-completion-script" {
      invocation.verb = verbs.all.first { $0.name == "completions" }
      if let value { invocation.operands.append(value) }
      return
    }
    let implied = verbs.all.first { verb in
      verb.impliedBy.contains { $0.name == name }
        && verb.words.dropLast() == invocation.incompleteVerb[...]
    }
    if let implied {
      invocation.verb = implied
      invocation.incompleteVerb = []
    }
    guard let option = known.first(where: { $0.name == name }) else {
      throw unknownOption("--" + name, name)
    }
    if option.value == nil, value != nil {
      throw DepotError(.usage, "--\(name) takes no value.")
    }
    try set(option, value)
  }

  private mutating func takeShort(_ letters: Substring) throws(DepotError) {
    var letters = letters
    while let letter = letters.popFirst() {
      guard let option = known.first(where: { $0.short == letter }) else {
        throw unknownOption("-\(letter)", String(letter))
      }
      guard option.value != nil, !letters.isEmpty else {
        try set(option, nil)
        continue
      }
      try set(option, String(letters.first == "=" ? letters.dropFirst() : letters))
      return
    }
  }

  private mutating func set(_ option: OptionSpec, _ value: String?) throws(DepotError) {
    var text = ""
    if let placeholder = option.value {
      guard let value = value ?? rest.popFirst() else {
        pending = option
        throw DepotError(.usage, "--\(option.name) needs \(placeholder).")
      }
      if option.candidates.areFiles, value.isEmpty {
        throw Self.empty("--\(option.name) needs \(placeholder)")
      }
      if option.isRepeatable { return invocation.lists[option.name, default: []].append(value) }
      text = value
    }
    guard invocation.options.updateValue(text, forKey: option.name) == nil else {
      throw DepotError(.usage, "--\(option.name) is there twice.")
    }
  }

  private func unknownOption(_ spelling: String, _ name: String) -> DepotError {
    let isForAnother = verbs.visible.first { $0.options.contains { $0.name == name } }
    let whose = invocation.verb.map { "depot \($0.name) has" } ?? "There is"
    return DepotError(.usage, "\(whose) no option \"\(spelling)\".")
      .hint(
        Spelling.hint(for: name, in: known.map(\.name)) { "\"--\($0)\"" }
          ?? (invocation.verb == nil ? isForAnother : nil)
          .map { "It goes behind the verb, as in: depot \($0.name) \(spelling)" }
          ?? "See: depot \(invocation.verb.map { $0.name + " " } ?? "")--help"
      )
  }

  private func checkOperands() throws(DepotError) {
    guard let verb = invocation.verb else { return }
    let (count, allowed) = (invocation.operands.count, verb.operands.count)
    if count < allowed.lowerBound {
      throw DepotError(.usage, "depot \(verb.name) needs \(verb.operands.text).")
        .hint("See: depot \(verb.name) --help")
    }
    if count > allowed.upperBound {
      let extra = invocation.operands[allowed.upperBound]
      throw DepotError(.usage, "\"\(extra)\" is one argument too many for depot \(verb.name).")
        .hint("Usage: \(verb.usage)")
    }
    for (position, operand) in invocation.operands.enumerated()
    where operand.isEmpty && !verb.operands.mayBeEmpty(at: position) {
      throw Self.empty("depot \(verb.name) needs \(verb.operands.text)")
    }
  }

  /// Returns the error about an empty text, which as a path would stand for the root folder.
  private static func empty(_ need: String) -> DepotError {
    DepotError(.usage, "\(need), not an empty text.").hint("Is a variable unset?")
  }
}
