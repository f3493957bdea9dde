import Testing

@testable import DepotProtocol

@Suite struct SearchQueryTests {
  @Test(arguments: [
    ("quick fox", "(\"quick\" AND \"fox\")"),
    ("  quick\tfox ", "(\"quick\" AND \"fox\")"),
    ("\"quick brown\" fox", "(\"quick brown\" AND \"fox\")"),
    ("qui*", "(\"qui\" *)"),
    ("\"quick bro\"*", "(\"quick bro\" *)"),
    ("fox OR dog", "(\"fox\") OR (\"dog\")"),
    ("fox or dog", "(\"fox\" AND \"or\" AND \"dog\")"),
    ("fox AND dog", "(\"fox\" AND \"dog\")"),
    ("fox -dog", "((\"fox\") NOT (\"dog\"))"),
    ("fox NOT dog -\"lazy cat\"", "((\"fox\") NOT (\"dog\" OR \"lazy cat\"))"),
    ("-dog fox OR cat", "((\"fox\") NOT (\"dog\")) OR (\"cat\")"),
    ("well-known", "(\"well-known\")"),
    ("a - b", "(\"a\" AND \"b\")"),
    ("title:fox (NEAR) ^dog {x}", "(\"title:fox\" AND \"(NEAR)\" AND \"^dog\" AND \"{x}\")"),
    ("fox\"dog\"", "(\"fox\" AND \"dog\")"),
    ("a\u{0}b", "(\"a\" AND \"b\")"),
    ("\"a\u{0}b\"", "(\"a b\")"),
    ("!!! fox", "(\"fox\")"),
  ])
  func `words become quoted words`(_ text: String, _ expected: String) throws {
    #expect(try SearchQuery(text).fts5 == expected)
  }

  @Test func `columns are named in front`() throws {
    let query = try SearchQuery("a OR b")
    #expect(query.fts5(in: ["a_x", "a_Sub:y"]) == "{\"a_x\" \"a_Sub:y\"} : ((\"a\") OR (\"b\"))")
  }

  @Test(arguments: [
    ("", 0), ("   ", 3), ("-fox", 4), ("fox OR -dog", 11), ("fox OR", 6), ("OR fox", 0),
    ("fox NOT", 4), ("NOT NOT fox", 4), ("fox \"dog", 4), ("*", 1), ("é \"x", 3), ("fox -", -1),
    ("...", 3),
  ])
  func `what can't be read is refused with its place`(_ text: String, _ offset: Int) throws {
    guard offset >= 0 else {
      #expect(try SearchQuery(text).fts5 == "(\"fox\")")
      return
    }
    let error = #expect(throws: DepotError.self) { try SearchQuery(text) }
    #expect(error?.code == .predicate)
    #expect(error?.details?["offset"]?.int64 == Int64(offset), "\(error?.message ?? "")")
    #expect(error?.details?["column"] != nil)
  }

  @Test func `too many words are refused`() throws {
    let words = Array(repeating: "word", count: SearchQuery.phraseLimit)
    _ = try SearchQuery(words.joined(separator: " "))
    let error = #expect(throws: DepotError.self) {
      try SearchQuery((words + ["more"]).joined(separator: " "))
    }
    #expect(error?.code == .predicateTooLarge)
  }

  @Test(arguments: [
    ("fox", "The quick brown Fox.", true), ("foxes", "fox", false), ("fo*", "fox", true),
    ("\"quick brown\"", "The quick, brown fox", true), ("\"brown quick\"", "quick brown", false),
    ("\"quick bro\"*", "quick brown", true), ("uber", "Über", true), ("über", "UBER", true),
    ("cafe", "café", true), ("cafe", "cafe\u{301}", true), ("fox -dog", "fox and dog", false),
    ("fox OR dog", "a dog", true), ("well-known", "well known", true),
    ("well-known", "known well", false), ("42", "room 42", true), ("привет", "ПРИВЕТ", true),
  ])
  func `words are compared without case and marks`(
    _ query: String,
    _ text: String,
    _ expected: Bool
  ) throws {
    let parsed = try SearchQuery(query)
    #expect(parsed.matches([text]) == expected)
  }

  @Test func `words may be in different texts, those of a phrase not`() throws {
    let words = try SearchQuery("quick fox")
    let phrase = try SearchQuery("\"quick fox\"")
    let exclusion = try SearchQuery("quick -fox")
    #expect(words.matches(["quick", "fox"]))
    #expect(!phrase.matches(["quick", "fox"]))
    #expect(!exclusion.matches(["quick", "fox"]))
  }
}
