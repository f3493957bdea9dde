internal import DepotProtocol

/// The guesses at how a command line goes on, by the table of verbs and the schema of the service.
struct Completer {
  private let current: String
  private var verb: Verb?
  private var verbWords: [String] = []
  private var operands: [String] = []
  private var usedOptions: Set<String> = []
  /// The option that the last word is the value of.
  private var pending: OptionSpec?
  private var place = Place()
  private var areOptionsOver = false
  private let isInShell: Bool
  private let loadSchema: (Place) -> Schema?

  /// Where the schema is, as far as the command line says.
  struct Place {
    var socket: String?
    var container: String?
  }

  /// Creates a completer.
  ///
  /// - Parameters:
  ///   - words: What follows the program's name, up to the word that is being typed.
  ///   - isInShell: Whether words with spaces can be completed, as in depot's own shell.
  ///   - schema: Returns the schema of a container of the service at a socket, if one runs.
  init(_ words: [String], isInShell: Bool = false, schema: @escaping (Place) -> Schema?) {
    current = words.last ?? ""
    self.isInShell = isInShell
    loadSchema = schema
    for word in words.dropLast() { take(word) }
  }

  private mutating func take(_ word: String) {
    if let option = pending {
      if option.name == OptionSpec.socket.name { place.socket = word }
      if option.name == OptionSpec.container.name { place.container = word }
      pending = nil
    } else if word == "--" {
      areOptionsOver = true
    } else if word.hasPrefix("-"), word != "-", !areOptionsOver {
      takeOption(word)
    } else if verb != nil {
      operands.append(word)
    } else {
      verbWords.append(word)
      verb = Verb.all.first { $0.words == verbWords }
    }
  }

  private mutating func takeOption(_ word: String) {
    let name = word.drop { $0 == "-" }
    guard
      let option = options.first(where: {
        $0.name == name || $0.short.map(String.init) ?? "" == name
      })
    else { return }
    if !option.isRepeatable { usedOptions.insert(option.name) }
    if option.value != nil { pending = option }
  }

  private var options: [OptionSpec] { verb?.allOptions ?? OptionSpec.global }

  /// What could stand in place of the last word; `:files` stands for names of files.
  var candidates: [String] {
    if let option = pending { return values(of: option) }
    if current.hasPrefix("-"), !areOptionsOver {
      return matching(options.filter { !usedOptions.contains($0.name) }.map { "--" + $0.name })
    }
    guard let verb else {
      let count = verbWords.count
      let words = Verb.visible
        .filter { $0.words.count > count && $0.words.starts(with: verbWords) }
        .map { $0.words[count] }
      return matching(unique(words))
    }
    return operands(of: verb)
  }

  /// Whether the last word is a predicate.
  var isInPredicate: Bool {
    if case .predicate? = pending?.candidates { return true }
    guard case .entityThenPredicate? = verb?.operand, pending == nil else { return false }
    return operands.count == 1 && !current.hasPrefix("-")
  }

  private func values(of option: OptionSpec) -> [String] {
    switch option.candidates {
    case .none: return []
    case .files: return [":files"]
    case .words(let words): return matching(words)
    case .entities: return matching(entityNames)
    case .paths(let kind): return lists { paths($0, kind) }
    case .sortKeys:
      return lists { key in
        guard let colon = key.lastIndex(of: ":") else { return paths(key, .any) }
        return ["asc", "desc", "localized"].map { key[...colon] + $0 }
      }
    case .predicate: return predicates
    }
  }

  private var predicates: [String] {
    guard isInShell, let (entity, schema) = subject else { return [] }
    return PredicateCompletion.candidates(current, of: entity, schema)
  }

  /// Completes the last part of a list with commas.
  private func lists(_ candidates: (Substring) -> [String]) -> [String] {
    let start = current.lastIndex(of: ",").map { current.index(after: $0) } ?? current.startIndex
    return matching(candidates(current[start...]).map { current[..<start] + $0 })
  }

  private func operands(of verb: Verb) -> [String] {
    switch verb.operand {
    case .nothing:
      return verb.name == "help" ? matching(unique(Verb.visible.map { $0.words[0] })) : []
    case .words(let words): return operands.isEmpty ? matching(words) : []
    case .file: return operands.isEmpty ? [":files"] : []
    case .entity: return operands.isEmpty ? matching(entityNames) : []
    case .entityThenPredicate:
      return operands.isEmpty ? matching(entityNames) : operands.count == 1 ? predicates : []
    case .entityThenFile:
      return operands.isEmpty ? matching(entityNames) : operands.count == 1 ? [":files"] : []
    case .entityThenAssignments:
      if operands.isEmpty { return matching(entityNames) }
      return matching(paths(current[...], .assignable).map { $0 + "=" })
    }
  }

  private var schema: Schema? { loadSchema(place) }

  private var entityNames: [String] { schema?.entities.map(\.name) ?? [] }

  /// The entity that the command line names.
  private var subject: (Entity, Schema)? {
    guard let word = operands.first, let schema,
      let entity = schema[String(word.prefix { $0 != "/" })]
    else { return nil }
    return (entity, schema)
  }

  private func paths(_ start: Substring, _ kind: PathCompletion.Kind) -> [String] {
    subject.map { PathCompletion.candidates(start, of: $0, $1, kind) } ?? []
  }

  private func matching(_ words: [String]) -> [String] { words.filter { $0.hasPrefix(current) } }

  private func unique(_ words: [String]) -> [String] {
    var result: [String] = []
    for word in words where !result.contains(word) { result.append(word) }
    return result
  }
}
