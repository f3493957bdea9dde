internal import DepotProtocol

/// The translation of errors from terms of the protocol into terms of the command line.
struct CommandLineTerms {
  /// The options of the verb that failed.
  private let options: [OptionSpec]
  private let terms: Verb.Terms

  init(of verb: Verb?) {
    options = verb?.allOptions ?? []
    terms = verb?.terms ?? .commandLine
  }

  /// Creates the translation for a verb with some options.
  init(options: [OptionSpec]) {
    self.options = options
    terms = .commandLine
  }

  /// Whether the user writes requests of the protocol, so that its terms fit.
  private var isOfProtocol: Bool { terms != .commandLine }
  private var isSave: Bool { terms == .arguments }

  private func has(_ option: String) -> Bool { options.contains { $0.name == option } }

  /// Returns an error in the terms of a verb's user.
  func translated(_ error: DepotError) -> DepotError {
    var result = error
    result.at = error.at.flatMap(place)
    guard !isOfProtocol else { return result }
    result.message = text(expressionsAsPredicates(error.message))
    result.hint = error.hint.map(text)
    return result
  }

  // MARK: - Text

  /// The phrases of the protocol, with their translations for users of the command line.
  private static let phrases: KeyValuePairs = [
    "Insert the row first, or in the same save under a temporary identifier.":
      "Store the row that it leads to first.",
    "Write a larger text or data in parts, with blob.write. Nothing else can be larger.":
      "depot blob put ENTITY/ID ATTRIBUTE FILE stores a larger text or data.",
    "The store has no schema yet: apply one first.":
      "The store has no schema yet. To make one from a file: depot schema infer FILE | depot schema apply -",
    "Leave returnIds out, or change": "Leave --return-ids out, or change",
    "Send a key: with it a repeated request computes no row twice. Or leave chunk out.":
      "Leave --chunk out.",
    #"For every row, write "where":"TRUEPREDICATE"."#: "For every row: --all.",
    #""after" needs"#: "--after needs",
    #""after" has the values"#: "--after has the values",
    #"value of "after" is"#: "value of --after is",
    "too large for a frame.": "too large for an answer.",
    "Use offset instead.": "Use --offset instead.",
    #"Leave the values out with "values": false."#: "Add --no-values.",
    #"Watch without "since", or with "onExpired":"snapshot"."#: "Watch without --since.",
    "with history.forget.": "with: depot history --consumer NAME --forget",
    "See history.status.": "See: depot history --status",
    "See the functions in describe, such as uppercase(), length(), sum(), and CAST().":
      "There are uppercase(), length(), sum(), CAST(), and others: Tab in depot shell lists them.",
    "See describe.": "See: depot --help",
    "with blob.read,": "with depot blob get,",
    #"Leave out "append" and "truncate"."#: "Put the whole value.",
    #"To permit the loss of data: "allow":"loss"."#:
      "To permit the loss of data: depot schema migrate --allow-loss",
    "Allow a migration, or only add to the store's schema.":
      "For more than additions: depot schema migrate",
    "in a custom stage (migration.begin).":
      "with a program in Swift, whose stages change the rows.",
    "Send migration.begin first.": "Stages are for programs; see also: depot schema migrate --help",
    "Open it with container.open;": "Open it with: depot container open NAME;",
    #"Use "file" for"#: "Use --file for",
    #"Give all stores but one the member "entities"."#:
      "Say of all stores but one which entities they hold.",
    #"Name it in the member "entities" of a store."#:
      "Say which store holds it, in: depot call container.open",
    "Give one up with unpin.": "Try again when others have read.",
    "Send the call again in a moment;": "Try again in a moment;",
    "Send fewer or smaller rows. Large values are written in parts, with blob.write.":
      "Do it for fewer or smaller rows. Large values are stored with: depot blob put",
    #"Give it one in "bind", or"#: "Give it one with --bind, or",
    #""set" has a value for"#: "The command has a value for",
    "Write its large texts and data in parts, with blob.write.":
      "depot blob put ENTITY/ID ATTRIBUTE FILE stores a large text or data.",
    "Send them in several requests.": "Do it in several commands.",
    #"write {"add":[…],"remove":[…]}."#: #"write NAME:={"add":[…],"remove":[…]}."#,
    #"For a collection, write {"has": [collection, element]}."#:
      "For a collection, write: collection CONTAINS element",
    #"A list of constants is written {"value": [1, 2], "list": true}."#:
      "A list is written in braces: {1, 2}.",
    #"A call looks like {"id":1,"call":"ping","args":{}}."#: "See: depot call --help",
    #"Send {"hello":{"protocol":[1,1]}} first."#: "Use depot and depotd of the same release.",
  ]

  /// Phrases translated with an option's name; the last text is for verbs without the option.
  private static let optionPhrases: [(wire: String, option: OptionSpec, here: String, String)] = [
    (
      #", or use onConflict "skip" or "replace""#, .onConflict,
      ", or add --on-conflict skip or --on-conflict replace", ""
    ),
    (
      "without quotation marks.", .bind,
      "without quotation marks, or as the value of a variable with --bind NAME:=NUMBER.",
      "without quotation marks."
    ), (#"with "after";"#, .after, "with --after;", "with --offset;"),
  ]

  /// The replaced phrases of the protocol.
  static var translatedPhrases: [String] { phrases.map(\.key) + optionPhrases.map(\.wire) }

  /// Returns a text with the protocol's phrases replaced.
  func text(_ text: String) -> String {
    var result = text
    for (wire, here) in Self.phrases { result = result.replacing(wire, with: here) }
    for phrase in Self.optionPhrases {
      result = result.replacing(phrase.wire, with: has(phrase.option.name) ? phrase.here : phrase.3)
    }
    return result
  }

  /// Returns a message with predicates in place of the protocol's expressions.
  private func expressionsAsPredicates(_ message: String) -> String {
    var result = ""
    var rest = message[...]
    while let start = rest.firstRange(of: "{\"")?.lowerBound {
      result += rest[..<start]
      rest = rest[start...]
      guard let end = Self.endOfObject(rest) else {
        // The service cuts long expressions off.
        guard let cut = rest.lastIndex(of: "…") else { break }
        rest = rest[cut...]
        break
      }
      let json = rest[...end]
      let expression = (try? JSONDocument(Array(json.utf8)))
        .flatMap { try? QueryExpression($0.root) }
      result += expression.map(PredicatePrinter.text) ?? String(json)
      rest = rest[rest.index(after: end)...]
    }
    return result + rest
  }

  /// Returns the end of the object at the beginning of a text.
  private static func endOfObject(_ text: Substring) -> Substring.Index? {
    var scanner = JSONPathScanner(limit: 0)
    return text.utf8.indices.first { index in
      _ = scanner.take(text.utf8[index])
      return scanner.depth == 0
    }
  }

  // MARK: - Places

  /// Returns the target of a JSON pointer in words; `nil` if the user typed nothing like it.
  ///
  /// A place that isn't a pointer, such as a line of a file, stays unchanged.
  func place(_ pointer: String) -> String? {
    if let file = pointer.firstRange(of: ": /") {
      // It is a place in a JSON file.
      return pointer[..<file.lowerBound] + ": " + Self.path(Self.steps(pointer[file.upperBound...]))
    }
    guard pointer.hasPrefix("/"), !isOfProtocol || isSave else { return pointer }
    var steps = Self.steps(pointer)
    if steps.first == "args" { steps.removeFirst() }
    // The arguments are in the user's file.
    if isSave { return steps.isEmpty ? nil : Self.path(steps) }
    if let first = steps.first, ["fetch", "count", "aggregate"].contains(first) {
      steps.removeFirst()
    }
    guard let name = steps.first else { return nil }
    let number = steps.dropFirst().first.flatMap { Int($0) }.map { $0 &+ 1 }
    switch name {
    case "rows": return number.map { "row \($0)" }
    case "set": return nil
    case "ids": return number.map { "identifier \($0)" }
    case "schema":
      let rest = steps.dropFirst()
      return rest.isEmpty ? nil : "the schema's " + Self.path(rest)
    case "bind": return "--bind" + (steps.count > 1 ? " \(steps[1])" : "")
    case "stores":
      return steps.count > 2 && ["file", "path"].contains(steps[2]) ? "--\(steps[2])" : nil
    default: return option(name, number)
    }
  }

  /// The options whose name differs from the request's member, and the names of their parts.
  private static let renamed: [String: (name: String, part: String)] = [
    "values": ("value", "column"), "sort": ("sort", "key"), "by": ("by", "key"),
    "select": ("select", "name"), "prefetch": ("prefetch", "path"),
  ]

  private func option(_ member: String, _ number: Int?) -> String? {
    let known = Self.renamed[member]
    let name = known?.name ?? Self.kebab(member)
    guard has(name) else { return nil }
    guard let number else { return "--\(name)" }
    return known.map { "--\(name), \($0.part) \(number)" } ?? "--\(name), number \(number)"
  }

  /// Returns `on-conflict` for `onConflict`.
  private static func kebab(_ name: String) -> String {
    name.map { $0.isUppercase ? "-" + $0.lowercased() : String($0) }.joined(separator: "")
  }

  /// Divides a JSON pointer.
  private static func steps(_ pointer: some StringProtocol) -> [String] {
    pointer.split(separator: "/").map { step in
      String(step).replacing("~1", with: "/").replacing("~0", with: "~")
    }
  }

  /// Returns `entities[0].name` for the steps of `/entities/0/name`.
  private static func path(_ steps: some Sequence<String>) -> String {
    steps.reduce(into: "") { path, step in
      if Int(step) != nil {
        path += "[\(step)]"
      } else {
        path += (path.isEmpty ? "" : ".") + step
      }
    }
  }
}
