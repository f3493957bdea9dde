import DepotEngine
import DepotProtocol
import DepotSQLite
import Testing

@Suite struct QueryTextTests {
  private let fixture: ReaderFixture
  private let connection: Connection

  init() throws {
    let entity = Entity(name: "Word", attributes: [Attribute(name: "text", type: .string)])
    fixture = try ReaderFixture(Schema(entities: [entity]))
    connection = try fixture.reader()
  }

  /// Two strings, options, and whether the strings are equal under them.
  static let folded: [(String, String, String, Bool)] = [
    ("Straße", "STRASSE", "c", true), ("ΟΔΟΣ", "οδος", "c", true), ("ς", "σ", "c", true),
    ("İ", "i\u{307}", "c", true), ("İ", "i", "c", false), ("İ", "i", "cd", true),
    ("ı", "i", "c", false), ("ı", "I", "cd", false), ("é", "e\u{301}", "c", true),
    ("é", "e\u{301}", "d", true), ("é", "É", "c", true), ("é", "e", "c", false),
    ("é", "e", "d", true), ("É", "e", "d", false), ("É", "e", "cd", true),
    ("Å", "\u{212B}", "c", true),
    ("Å", "a", "cd", true), ("Å", "å", "c", true), ("ЖУК", "жук", "c", true),
    ("й", "и", "d", true), ("Ά", "α", "cd", true), ("K", "\u{212A}", "c", true),
    ("ﬃ", "FFI", "c", true), ("한", "한", "cd", true), ("가", "각", "cd", false),
    ("ABC", "abc", "c", true), ("ABC", "abc", "d", false),
  ]

  @Test(arguments: folded)
  func `strings are equal under options by Unicode's folding`(
    text: String,
    other: String,
    letters: String,
    isEqual: Bool
  ) throws {
    let options = try #require(QueryExpression.TextOptions(letters: letters))
    for (text, other) in [(text, other), (other, text)] {
      let predicate = QueryExpression.comparison(
        .equal,
        .attribute("text"),
        .value(.string(other)),
        options: options
      )
      #expect(try holds(predicate, for: text) == isEqual, "\(text) \(other)")
    }
  }

  @Test func `without options strings are equal by their scalars`() throws {
    let composed = QueryExpression.comparison(
      .equal,
      .attribute("text"),
      .value(.string("\u{E9}"))
    )
    #expect(try holds(composed, for: "\u{E9}"))
    #expect(try !holds(composed, for: "e\u{301}"))
  }

  @Test func `a letter isn't contained in another letter that begins with it`() throws {
    #expect(try !holds(test(.contains, "e", .caseInsensitive), for: "caf\u{E9}"))
    #expect(try !holds(test(.contains, "가", .caseInsensitive), for: "각"))
    #expect(try holds(test(.contains, "e", .diacriticInsensitive), for: "caf\u{E9}"))
  }

  @Test(arguments: [
    ("*.deb", "x.deb", true), ("*.deb", "x.debs", false), ("?", "é", true), ("?", "e\u{301}", true),
    ("?", "", false), ("*", "", true), ("a\\*b", "a*b", true), ("a\\*b", "axb", false),
    ("a*b*c", "a-b-b-c", true), ("a*b*c", "a-c-b", false), ("\\", "\\", true), ("*?", "é", true),
    ("?a", "\u{1F600}a", true),
  ])
  func `like knows stars, question marks, and backslashes`(
    pattern: String,
    text: String,
    isMatch: Bool
  ) throws {
    #expect(try holds(test(.like, pattern), for: text) == isMatch)
  }

  @Test func `like takes no exponential time`() throws {
    let pattern = String(repeating: "*a", count: 400) + "b"
    #expect(try !holds(test(.like, pattern), for: String(repeating: "a", count: 5000)))
  }

  @Test func `matches is for the whole string and folds under options`() throws {
    #expect(try holds(test(.matches, "lib[a-z]+[0-9]"), for: "libssl3"))
    #expect(try !holds(test(.matches, "lib[a-z]+"), for: "libssl3"))
    #expect(
      try holds(test(.matches, "CAFE", [.caseInsensitive, .diacriticInsensitive]), for: "café")
    )
    let catalog = fixture.catalog
    let layout = try catalog.layout(of: "Word")
    #expect(try PredicateSQL.compile(test(.matches, "a"), for: layout, in: catalog).isSlow)
    #expect(throws: DepotError.self) {
      try PredicateSQL.compile(test(.matches, "(a"), for: layout, in: catalog)
    }
  }

  @Test(arguments: ["", "a", "\u{D7FF}", "a\u{10FFFF}", "\u{10FFFF}", "\u{10FFFF}\u{10FFFF}"])
  func `begins finds exactly the texts with the prefix`(prefix: String) throws {
    for text in [
      "", "a", "ab", "b", "\u{D7FF}x", "\u{E000}", "a\u{10FFFF}z", "\u{10FFFF}\u{10FFFF}",
    ] {
      let isPrefix = text.utf8.starts(with: prefix.utf8)
      #expect(try holds(test(.begins, prefix), for: text) == isPrefix, "\(text.debugDescription)")
    }
  }

  private func test(
    _ test: QueryExpression.TextTest,
    _ pattern: String,
    _ options: QueryExpression.TextOptions = []
  ) -> QueryExpression {
    .text(test, .attribute("text"), .value(.string(pattern)), options: options)
  }

  private func holds(_ predicate: QueryExpression, for text: String) throws -> Bool {
    try fixture.writer.execute("DELETE FROM e_Word")
    try fixture.insert([[.string(text)]], into: "Word")
    return try fixture.matches(predicate, in: "Word", on: connection) == [1]
  }
}
