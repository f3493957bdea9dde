import DepotProtocol
import Foundation
import Testing

@testable import DepotCommands

/// What the service says, as users of the command line read it.
@Suite struct CommandLineTermsTests {
  private func verb(_ name: String) throws -> Verb {
    try #require(VerbTable.depot.all.first { $0.name == name })
  }

  @Test(arguments: [
    ("insert", "/args/rows/0", "row 1"), ("fetch", "/args/where", "--where"),
    ("fetch", "/args/sort/1", "--sort, key 2"), ("fetch", "/args/select/0", "--select, name 1"),
    ("fetch", "/args/sectionBy", "--section-by"),
    ("aggregate", "/args/values/2/of", "--value, column 3"),
    ("aggregate", "/args/having", "--having"), ("get", "/args/ids/4", "identifier 5"),
    ("watch", "/args/fetch/where", "--where"), ("fetch", "/args/bind/least", "--bind least"),
    ("update", "/args/compute/0/value", "--compute, number 1"), ("update", "/args/set", nil),
    ("save", "/args/update/0/rows/6/2", "update[0].rows[6][2]"),
    ("save", "graph.json: /insert/0", "graph.json: insert[0]"), ("count", "/args/entity", nil),
    ("container open", "/args/stores/0/file", "--file"), ("schema apply", "/args/schema", nil),
    (
      "schema apply", "/args/schema/entities/0/attributes/2/type",
      "the schema's entities[0].attributes[2].type"
    ),
    ("schema apply", "a/b.json: /entities/3/name", "a/b.json: entities[3].name"),
    ("import", "line 7", "line 7"),
  ])
  func `places are those of the command line`(name: String, pointer: String, place: String?) throws
  {
    #expect(CommandLineTerms(of: try verb(name)).place(pointer) == place)
  }

  @Test func `an option is named only to verbs that have it`() throws {
    let error = DepotError(.unique, "Taken.")
      .hint("Change the value, or use onConflict \"skip\" or \"replace\".").at("/args/rows/0")
    let insert = CommandLineTerms(of: try verb("insert")).translated(error)
    #expect(insert.hint == "Change the value, or add --on-conflict skip or --on-conflict replace.")
    #expect(CommandLineTerms(of: try verb("update")).translated(error).hint == "Change the value.")
  }

  @Test func `expressions are shown as predicates`() throws {
    let message = #"In {"==":[{"attribute":"a"},{"value":"}\""}]}: {"attribute":"b"} is no text."#
    let fetch = CommandLineTerms(of: try verb("fetch"))
    #expect(
      fetch.translated(DepotError(.predicate, message)).message == #"In a == "}\"": b is no text."#
    )
    let plain = DepotError(.type, #"{"a":1} and { "b" } are none, nor is {"c""#)
    #expect(fetch.translated(plain) == plain)
    let cut = DepotError(.predicate, #"In {"==":[{"attribute":"aaaa…: This is a collection."#)
    #expect(fetch.translated(cut).message == "In …: This is a collection.")
  }

  @Test func `who writes requests reads the protocol's terms`() throws {
    let error = DepotError(.unknownOperation, "No.").hint("See describe.").at("/call")
    #expect(CommandLineTerms(of: try verb("call")).translated(error) == error)
    let taken = DepotError(.unique, "Taken.").hint("Or use onConflict \"skip\" or \"replace\".")
    #expect(CommandLineTerms(of: try verb("save")).translated(taken) == taken)
  }

  // MARK: - The hints of the service

  /// The sources of everything below the command line.
  private static let sources: [String] = {
    let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent().appending(path: "Sources")
    let targets = ["DepotProtocol", "DepotEngine", "DepotServer", "DepotClient", "DepotEmbedded"]
    return targets.flatMap { target -> [String] in
      let files = FileManager.default.enumerator(
        at: root.appending(path: target),
        includingPropertiesForKeys: nil
      )
      return (files?.allObjects ?? []).compactMap { $0 as? URL }
        .filter { $0.pathExtension == "swift" }
        .compactMap { try? String(contentsOf: $0, encoding: .utf8) }
    }
  }()

  /// Their hints, with an x for each value.
  private static let hints: [String] = {
    var hints: Set<String> = []
    for text in sources {
      for mark in [".hint(", "hint: ", "hint = "] {
        for range in text.ranges(of: mark) where !text[..<range.lowerBound].hasSuffix("let ") {
          hints.formUnion(literals(text[range.upperBound...], endsAtLine: mark != ".hint("))
        }
      }
    }
    return hints.sorted()
  }()

  /// Returns the texts of an argument, those that are added to each other as one.
  private static func literals(_ source: Substring, endsAtLine: Bool) -> [String] {
    var result: [String] = []
    var depth = 0
    var rest = source
    var joins = false
    while let character = rest.first {
      if let literal = literal(&rest) {
        if joins, let last = result.popLast() {
          result.append(last + literal)
        } else {
          result.append(literal)
        }
        let next = rest.drop { $0.isWhitespace }
        joins = next.first == "+"
        if joins { rest = next.dropFirst().drop { $0.isWhitespace } }
        continue
      }
      joins = false
      rest.removeFirst()
      if "([{".contains(character) { depth += 1 }
      if ")]}".contains(character) { depth -= 1 }
      if depth < 0 { break }
      guard depth == 0, endsAtLine else { continue }
      // An operator goes on in the next line.
      if character == "," || character == "\n" && rest.drop(while: \.isWhitespace).first != "?" {
        break
      }
    }
    return result
  }

  /// Reads a literal with which a source begins.
  private static func literal(_ source: inout Substring) -> String? {
    let isRaw = source.hasPrefix("#\"")
    guard isRaw || source.first == "\"" else { return nil }
    source.removeFirst(isRaw ? 2 : 1)
    var text = ""
    while let character = source.popFirst() {
      if character == "\"" {
        guard isRaw else { return text }
        if source.first == "#" {
          source.removeFirst()
          return text
        }
      }
      guard character == "\\", !isRaw else {
        text.append(character)
        continue
      }
      guard let escaped = source.popFirst() else { break }
      guard escaped == "(" else {
        text.append(escaped == "n" ? "\n" : escaped)
        continue
      }
      var depth = 1
      while depth > 0, let inner = source.popFirst() {
        if inner == "(" { depth += 1 }
        if inner == ")" { depth -= 1 }
      }
      text += "x"
    }
    return text
  }

  /// The names of operations and arguments that aren't words of English, and the arguments.
  private static let names: (words: Set<String>, members: [String]) = {
    let file = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent().appending(path: "proto-docs/protocol.json")
    let document = try? JSONValue(parsing: Data(contentsOf: file))
    let operations = document?["operations"]?.array ?? []
    let names = operations.compactMap { $0["name"]?.string }
    let members = operations.flatMap { $0["args"]?.array ?? [] }.compactMap { $0["name"]?.string }
    let words =
      names.filter { $0.contains(".") || $0 == "describe" || $0 == "unpin" }
      + members.filter { $0.contains(where: \.isUppercase) }
    return (Set(words + ["frame", "member"]), members)
  }()

  /// The terms of the protocol that a hint still has.
  private static func terms(_ hint: String) -> [String] {
    // A schema's members are what users write in its file, and a value's what they type behind :=.
    if hint.contains(/in (the|its) schema/) || hint.contains(":={\"") { return [] }
    let text = hint.replacing("depot call container.open", with: "")
    let found = text.split { !$0.isLetter && $0 != "." }.map { word in
      word.hasSuffix(".") ? String(word.dropLast()) : String(word)
    }
    let quoted = text.contains("\"") ? names.members.map { "\"\($0)\"" } + ["{\"", "\":"] : []
    return found.filter(names.words.contains) + (quoted + ["/args"]).filter(text.contains)
  }

  @Test func `the sources' hints are found`() {
    #expect(!Self.names.members.isEmpty)
    #expect(Self.hints.count > 250)
    #expect(Self.hints.contains("See describe."))
    #expect(Self.hints.contains("Change the value, or use onConflict \"skip\" or \"replace\"."))
    #expect(Self.hints.filter { !Self.terms($0).isEmpty }.count > 20)
  }

  @Test func `no hint of the service has terms of the protocol on the command line`() throws {
    let fetch = try verb("fetch")
    for hint in Self.hints {
      // What has none isn't changed, whatever the verb is.
      let verbs =
        Self.terms(hint).isEmpty
        ? [fetch] : VerbTable.depot.all.filter { ![["call"], ["save"]].contains($0.words) }
      for verb in verbs {
        let report = ErrorReport.text(
          DepotError(.usage, "No.").hint(hint).at("/args/rows/0"),
          of: verb
        )
        #expect(Self.terms(report) == [], "\(verb.name): \(report)")
      }
    }
  }

  @Test func `each phrase that is translated is one of the service's`() {
    for phrase in CommandLineTerms.translatedPhrases {
      let escaped = phrase.replacing("\"", with: "\\\"")
      #expect(
        Self.hints.contains { $0.contains(phrase) }
          || Self.sources.contains { $0.contains(escaped) },
        "\(phrase)"
      )
    }
  }
}
