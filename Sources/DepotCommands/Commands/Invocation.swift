internal import DepotProtocol

/// A parsed command line.
struct Invocation: Sendable {
  /// The verb, or `nil` if there is none.
  var verb: Verb?
  /// The words that begin a verb but don't name one, such as `schema` alone.
  var incompleteVerb: [String] = []
  var operands: [String] = []
  /// The values of the options by their long names; empty ones of options without a value.
  var options: [String: String] = [:]
  /// The values of repeatable options, by their long names.
  var lists: [String: [String]] = [:]

  /// Whether an option without a value is given.
  func has(_ option: OptionSpec) -> Bool {
    options[option.name] != nil || lists[option.name] != nil
  }

  /// Returns the value of an option, or `nil`.
  func value(_ option: OptionSpec) -> String? { options[option.name] }

  /// Returns the values of a repeatable option.
  func values(_ option: OptionSpec) -> [String] { lists[option.name] ?? [] }

  /// Returns the value of an option as a whole number of at least `minimum`, or `nil`.
  ///
  /// - Throws: ``DepotError`` `request.usage` if it is anything else.
  func number(_ option: OptionSpec, minimum: Int = 0) throws(DepotError) -> Int? {
    guard let text = options[option.name] else { return nil }
    guard let number = Int(text), number >= minimum else {
      throw DepotError(.usage, "--\(option.name) takes a whole number of at least \(minimum).")
        .hint("It was \"\(text)\".")
    }
    return number
  }

  /// Returns the value of an option that is one of a few words.
  ///
  /// - Throws: ``DepotError`` `request.usage` with the nearest of them.
  func choice<Choice: RawRepresentable & CaseIterable>(
    _ option: OptionSpec,
    _: Choice.Type = Choice.self
  ) throws(DepotError) -> Choice? where Choice.RawValue == String {
    guard let text = options[option.name] else { return nil }
    if let choice = Choice(rawValue: text) { return choice }
    let words = Choice.allCases.map(\.rawValue)
    throw DepotError(.usage, "--\(option.name) can't be \"\(text)\".")
      .hint(Spelling.hint(for: text, in: words) ?? "It is \(words.joined(separator: ", ")).")
  }
}
