internal import DepotProtocol

/// The completion of a command line from the table of verbs and the service's schema.
struct Completer {
  private var current: String
  /// The words before the last one, as far as they could be parsed.
  private let parser: ArgumentParser
  private let verbs: VerbTable
  private let loadSchema: (Invocation) -> Schema?

  /// Creates a completer.
  ///
  /// - Parameters:
  ///   - words: The words after the program's name, up to the one being typed.
  ///   - verbs: The program's verbs.
  ///   - schema: Returns the schema of the container that a command line names, if the service runs.
  init(_ words: [String], of verbs: VerbTable, schema: @escaping (Invocation) -> Schema?) {
    current = words.last ?? ""
    parser = ArgumentParser(incomplete: words.dropLast(), of: verbs)
    self.verbs = verbs
    loadSchema = schema
  }

  private var invocation: Invocation { parser.invocation }

  /// The kind of the value or operand being typed, and its beginning; `nil` for other words.
  private var typed: (kind: Candidates, text: Substring)? {
    if let option = parser.pending { return (option.candidates, current[...]) }
    if current.hasPrefix("-"), !parser.areOptionsOver {
      guard current.hasPrefix("--"), let sign = current.firstIndex(of: "=") else { return nil }
      let name = current[..<sign].dropFirst(2)
      let option = parser.known.first { $0.name == name && $0.value != nil }
      return option.map { ($0.candidates, current[current.index(after: sign)...]) }
    }
    let position = invocation.operands.count
    return invocation.verb.map { ($0.operands.candidates(at: position), current[...]) }
  }

  /// The candidates for the last word; `:files` stands for names of files.
  var candidates: [String] { described.map(\.text) }

  /// The candidates for the last word, with their descriptions.
  var described: [Candidate] {
    if let (kind, text) = typed {
      var inner = self
      inner.current = String(text)
      let start = current.dropLast(text.count)
      return inner.candidates(kind).map { $0 == .files ? $0 : $0.following(start) }
    }
    if current.hasPrefix("-"), !parser.areOptionsOver {
      return matching(
        parser.known.filter { invocation.options[$0.name] == nil }
          .map { Candidate(text: "--" + $0.name, description: $0.help) }
      )
    }
    return matching(verbs(after: invocation.incompleteVerb))
  }

  /// Whether the last word is a predicate.
  var isInPredicate: Bool { if case .predicate? = typed?.kind { true } else { false } }

  /// The words that may follow the given words of verbs.
  private func verbs(after words: [String]) -> [Candidate] {
    let verbs = verbs.visible.filter {
      $0.words.count > words.count && $0.words.starts(with: words)
    }
    var result: [Candidate] = []
    for verb in verbs {
      let word = verb.words[words.count]
      let group = verbs.filter { $0.words[words.count] == word }
      let isGroup = verb.words.count > words.count + 1
      if result.contains(where: { $0.text == word }) { continue }
      let names = group.compactMap { $0.words.dropFirst(words.count + 1).first }
      result.append(
        Candidate(text: word, description: isGroup ? names.joined(separator: ", ") : verb.summary)
      )
    }
    return result
  }

  private func candidates(_ kind: Candidates) -> [Candidate] {
    switch kind {
    case .none: return []
    case .files: return [.files]
    case .words(let words): return matching(words.map { Candidate(text: $0) })
    case .entities: return matching(entityNames)
    case .paths(let kind): return lists { paths($0, kind) }
    case .sortKeys:
      return lists { key in
        guard let colon = key.lastIndex(of: ":") else { return paths(key, .any) }
        return Self.orders.map { $0.following(key[...colon]) }
      }
    case .predicate:
      return subject.map { PredicateCompletion.candidates(current, of: $0, $1) } ?? []
    case .assignments:
      return matching(
        paths(current[...], .assignable)
          .map { Candidate(text: $0.text + "=", description: $0.description) }
      )
    case .help: return helped
    }
  }

  private static let orders = [
    Candidate(text: "asc", description: "the least first"),
    Candidate(text: "desc", description: "the greatest first"),
    Candidate(text: "localized", description: "as people look text up"),
  ]

  /// Completes the last element of a list with commas.
  private func lists(_ candidates: (Substring) -> [Candidate]) -> [Candidate] {
    let start = current.lastIndex(of: ",").map { current.index(after: $0) } ?? current.startIndex
    return matching(candidates(current[start...]).map { $0.following(current[..<start]) })
  }

  /// The topics and verbs that have help.
  private var helped: [Candidate] {
    var topics: [Candidate] = []
    if invocation.operands.isEmpty {
      topics =
        HelpList.allCases.map { Candidate(text: $0.rawValue, description: $0.summary) }
        + HelpTopic.all.map { Candidate(text: $0.name, description: $0.summary) }
    }
    let verbs = verbs(after: invocation.operands)
      .filter { verb in !topics.contains { $0.text == verb.text } }
    return matching(verbs + topics)
  }

  private var schema: Schema? { loadSchema(invocation) }

  private var entityNames: [Candidate] {
    schema?.entities.map { entity in
      let names = entity.attributes.map(\.name) + entity.relationships.map(\.name)
      let kind = entity.parent.map { ["a kind of \($0)"] } ?? []
      return Candidate(text: entity.name, description: (kind + names).joined(separator: ", "))
    } ?? []
  }

  /// The entity named by the command line.
  private var subject: (Entity, Schema)? {
    guard let word = invocation.operands.first, let schema,
      let entity = schema[String(word.prefix { $0 != "/" })]
    else { return nil }
    return (entity, schema)
  }

  private func paths(_ start: Substring, _ kind: Candidates.PathKind) -> [Candidate] {
    subject.map { PathCompletion.candidates(start, of: $0, $1, kind) } ?? []
  }

  private func matching(_ words: [Candidate]) -> [Candidate] {
    words.filter { $0.text.hasPrefix(current) }
  }
}
