import TestSupport
import Testing

@testable import DepotProtocol

@Suite struct PatternTests {
  /// A pattern, a text, and whether they match.
  static let whole: [(String, String, Bool)] = [
    ("", "", true), ("", "a", false), ("abc", "abc", true), ("abc", "abcd", false),
    ("a|b", "b", true), ("a|", "", true), ("(a|ab)(c|bcd)", "abcd", true), ("a*", "aaaa", true),
    ("a+", "", false), ("a+?b*?", "aab", true), ("a{2,3}", "a", false), ("a{2,3}", "aaa", true),
    ("a{2,3}", "aaaa", false), ("a{2}", "aa", true), ("a{2,}", "aaaaa", true), ("a{,2}", "", true),
    ("a{,2}", "aaa", false), ("a{0}", "", true), ("a{0}b", "ab", false),
    ("(a{2}){3}", "aaaaaa", true),
    ("(?:a{2}){3}", "aaaaa", false), ("(?<name>a)(?P<n>b)(?'m'c)", "abc", true),
    ("a(?#no)b", "ab", true), (".", "\n", false), ("(?s).", "\n", true), (".", "\u{2028}", false),
    (".", "é", true), (".", "e\u{301}", false), ("..", "e\u{301}", true), (".", "\u{1F600}", true),
    ("(?s:.)(?-s:.)", "\na", true), ("(?s:.)(?-s:.)", "a\n", false), (".*", "a\u{0}b", true),
  ]

  @Test(arguments: whole)
  func `literals, alternatives, and repetitions are for the whole text`(
    pattern: String,
    text: String,
    isMatch: Bool
  ) throws {
    #expect(try TextPattern(pattern).matches(text) == isMatch)
  }

  @Test(arguments: [
    (#"\d\D\w\W\s\S"#, "1a_- x", true), (#"\d"#, "٣", true), (#"\w"#, "é", true),
    (#"\w"#, "-", false),
    (#"\s"#, "\u{A0}", true), (#"\n\t\r\f\e\a"#, "\n\t\r\u{C}\u{1B}\u{7}", true),
    (#"\0\x41\xe9\x{1F600}\u00e9\u{e9}\U0001F600"#, "\0Aé\u{1F600}éé\u{1F600}", true),
    (#"\012\cA"#, "\n\u{1}", true), (#"\.\*\\\-\/"#, #".*\-/"#, true),
    (#"\Qa.b*\E+"#, "a.b**", true),
    (#"\Qa.b"#, "axb", false), (#"\R\R"#, "\r\n\n", true), (#"\h\v\N"#, "\t\u{B}x", true),
    (#"\H\V"#, "ab", true), (#"\p{L}\p{Lu}\p{ll}\pN\P{L}"#, "éÉa5-", true),
    (#"\p{Lu}"#, "a", false),
    (#"\p{Uppercase_Letter}\p{gc=Nd}\p{White Space}"#, "A1 ", true), (#"\p{^L}"#, "a", false),
    (#"\p{IsAlphabetic}\p{Emoji_Presentation}"#, "a\u{1F600}", true), (#"\p{ASCII}"#, "é", false),
  ])
  func `escapes stand for scalars and classes`(pattern: String, text: String, isMatch: Bool) throws
  {
    #expect(try TextPattern(pattern).matches(text) == isMatch)
  }

  @Test(arguments: [
    ("[abc]", "b", true), ("[^abc]", "b", false), ("[^abc]", "\n", true), ("[a-c-]", "-", true),
    ("[-a]", "-", true), ("[a-z&&[^aeiou]]", "b", true), ("[a-z&&[^aeiou]]", "e", false),
    ("[a-z--[aeiou]]", "e", false), ("[a-z--aeiou]", "x", true), ("[[a-c][x-z]]", "y", true),
    ("[[:alpha:][:digit:]]+", "aé9", true), ("[[:^alpha:]]", "a", false),
    ("[[:punct:]]", "!", true),
    ("[[:xdigit:]]+", "09aF", true), (#"[\d\s]"#, " ", true), (#"[^\d\s]"#, " ", false),
    (#"[\]\[\-\\]+"#, #"][-\"#, true), (#"[\b]"#, "\u{8}", true),
    ("[.*+?(){}|^$]+", "$^|}{)(?+*.", true),
    ("[à-ü]", "é", true), ("[\u{1F600}-\u{1F64F}]", "\u{1F610}", true), ("[^^]", "^", false),
    ("[&a]", "&", true), ("[a-a]", "a", true), ("[ab--b&&a]", "a", true),
  ])
  func `classes have ranges, other classes, and operations`(
    pattern: String,
    text: String,
    isMatch: Bool
  ) throws {
    #expect(try TextPattern(pattern).matches(text) == isMatch)
  }

  @Test(arguments: [
    ("^a$", "a", true), (#"\Aa\z"#, "a", true), ("a^b", "ab", false), (#"a\Z\n"#, "a\n", true),
    (#"a\Z\r\n"#, "a\r\n", true), (#"a\Z\nb"#, "a\nb", false), (#"a\z\n"#, "a\n", false),
    (#"a$\n"#, "a\n", false), (#"(?m)a$\n^b$"#, "a\nb", true), (#"(?m)a$\r^\n"#, "a\r\n", false),
    (#"(?m)^\n^a"#, "\na", true), (#"\ba\b-\bb\b"#, "a-b", true), (#"a\bb"#, "ab", false),
    (#"a\Bb"#, "ab", true), (#"é\b.b"#, "é-b", true), (#"\B-\B"#, "-", true), (#"\b"#, "", false),
    (#"(^|x)a"#, "xa", true), (#"(a|$)*"#, "aa", true), (#"(?:\b|-)*a"#, "--a", true),
    (#"(?s).*\bcat\b.*"#, "the cat sat", true), (#"(?s).*\bcat\b.*"#, "the catalogue", false),
  ])
  func `assertions are about places`(pattern: String, text: String, isMatch: Bool) throws {
    #expect(try TextPattern(pattern).matches(text) == isMatch)
  }

  @Test(arguments: [
    ("(?i)abc", "AbC", true), ("(?i:a)b", "AB", false), ("a(?i)b|c", "C", true),
    ("(a(?i)b)c", "aBC", false),
    ("(?i)[a-z]+", "ÀB", false), ("(?i)é", "É", true), ("(?i)[^a]", "A", false),
    ("(?i)σ", "ς", true),
    (#"(?i)\p{Lu}"#, "a", false), ("(?i)k", "\u{212A}", true), ("(?i)ı", "I", false),
    ("(?i-i)a", "A", false), ("(?x) a b # c\n c", "abc", true), ("(?x) a +", "aa", true),
    (#"(?x)a\ b[ ]c"#, "a b c", true), ("(?x: a )b ", "ab ", true), ("(?ims-x)a", "A", true),
    ("(?i)[à-ý]", "É", true),
  ])
  func `flags hold to the end of their group`(pattern: String, text: String, isMatch: Bool) throws {
    #expect(try TextPattern(pattern).matches(text) == isMatch)
  }

  @Test func `options fold patterns and texts`() throws {
    #expect(try TextPattern("CAFÉ", [.caseInsensitive]).matches("cafe\u{301}"))
    #expect(try !TextPattern("CAFÉ", [.caseInsensitive]).matches("cafe"))
    #expect(try TextPattern("café", [.diacriticInsensitive]).matches("cafe"))
    #expect(try !TextPattern("Café", [.diacriticInsensitive]).matches("cafe"))
    #expect(try TextPattern("CAFE", [.caseInsensitive, .diacriticInsensitive]).matches("café"))
    #expect(try !TextPattern("café").matches("cafe\u{301}"))
    #expect(try TextPattern(#"\S+"#, [.caseInsensitive]).matches("AB"))
  }

  /// A pattern, words of the reason, and the place.
  static let refused: [(String, String, Int)] = [
    (#"(a)\1"#, "back reference", 3), (#"(?<n>a)\k<n>"#, "back reference", 7),
    ("(?=a)", "look-ahead", 0),
    ("a(?!b)", "look-ahead", 1), ("(?<=a)b", "look-behind", 0), ("(?<!a)b", "look-behind", 0),
    ("(?>a)", "atomic group", 0), ("a++", "possessive", 1), ("a{2}+", "possessive", 1),
    ("(a)(?(1)b|c)", "conditional", 3), ("(?R)", "recursion", 0), ("a(?1)", "recursion", 1),
    ("(?P>n)", "recursion", 0), (#"\g{1}"#, "reference to a group", 0), (#"\X"#, #"\X"#, 0),
    ("(*FAIL)", "verb", 0), ("(?|a)", "branch reset", 0), ("(a", "isn't closed", 0),
    ("ab)", "without its (", 2), ("[ab", "isn't closed", 0), ("a[]", "empty", 2),
    ("*a", "nothing to repeat", 0),
    ("a|+", "nothing to repeat", 2), ("a**", "follows a repetition", 2),
    ("a{", "begins no count", 1),
    ("a{x}", "begins no count", 1), ("a{3,2}", "above the greatest", 1),
    ("a{99999999999999999999}", "above 10000", 1),
    (#"ab\"#, "backslash at the end", 2), (#"\y"#, "no escape", 0), (#"[\y]"#, "no escape", 1),
    (#"\x{110000}"#, "no code point", 0), (#"\uD800"#, "no code point", 0),
    (#"\u12"#, "no code point", 0),
    (#"\p{Nope}"#, "no property", 0), (#"\p{Script=Greek}"#, "no property", 0),
    ("[[:nope:]]", "no class", 1),
    ("[z-a]", "after the last", 1), (#"[a-\d]"#, "no last character", 1),
    ("[a-z-[b]]", "isn't clear", 4),
    ("(?q)", "no flag", 0), ("(?i", "isn't closed", 0), ("(?<>a)", "no name", 0),
    (#"é\1"#, "back reference", 1),
    ("(?:(?:a{100}){100}){100}", "over 10000 steps", 13), ("(?#a", "comment", 0),
    (#"\p{L"#, "missing", 0),
  ]

  @Test(arguments: refused)
  func `what can't be is refused with its place and what to do`(
    pattern: String,
    reason: String,
    offset: Int
  ) throws {
    let failure = try #require(throws: PatternFailure.self) { try TextPattern(pattern) }
    #expect(failure.message.contains(reason), "\(failure.message)")
    #expect(failure.message.contains("character \(offset + 1) "), "\(failure.message)")
    #expect(failure.offset == offset)
  }

  @Test func `what isn't regular comes with a hint`() throws {
    for pattern in [
      #"(a)\1"#, "(?=a)", "(?<!a)b", "(?>a)", "a++", "(?(1)b|c)", "(?R)", #"\X"#, "(*FAIL)",
      "a{2,1}",
    ] {
      let failure = try #require(throws: PatternFailure.self) { try TextPattern(pattern) }
      #expect(failure.hint != nil, "\(pattern)")
    }
  }

  @Test func `patterns, programs, and depths have limits`() throws {
    #expect(throws: PatternFailure.self) { try TextPattern(String(repeating: "a", count: 1001)) }
    #expect(
      try TextPattern(String(repeating: "a", count: 1000)).matches(
        String(repeating: "a", count: 1000)
      )
    )
    func nested(_ depth: Int) -> String {
      String(repeating: "(", count: depth) + "a" + String(repeating: ")", count: depth)
    }
    #expect(try TextPattern(nested(100)).matches("a"))
    #expect(throws: PatternFailure.self) { try TextPattern(nested(101)) }
    #expect(throws: PatternFailure.self) { try TextPattern(String(repeating: "[a", count: 400)) }
    #expect(try TextPattern("a{9999}").matches(String(repeating: "a", count: 9999)))
    #expect(throws: PatternFailure.self) { try TextPattern("a{10000}") }
    #expect(try TextPattern("(((){9999}){9999}){9999}").matches(""))
    #expect(try TextPattern("((){0,9999}){0,9999}").matches(""))
  }

  @Test(arguments: [
    ("(x+x+)+y", "x", 20_000), ("(a*)*b", "a", 20_000), ("(a|a)*b", "a", 20_000),
    ("(a|aa)+$b", "a", 20_000),
    ("(.*)(.*)(.*)(.*)[^a]", "a", 20_000), ("(?i)(([a-z])+.)+[A-Z]([a-z])+[0-9]", "a", 20_000),
    ("([a-zA-Z0-9])(([\\-.]|[_]+)?([a-zA-Z0-9]+))*(@){1}", "a", 20_000),
  ])
  func `patterns that are hard to backtrack take few steps for each character`(
    pattern: String,
    letter: String,
    count: Int
  ) throws {
    let matcher = try TextPattern(pattern)
    #expect(!matcher.matches(String(repeating: letter, count: count)))
    #expect(matcher.steps < 2 * count)
  }

  @Test func `a pattern with too many states takes no more steps than pattern and text multiplied`()
    throws
  {
    let pattern = "(?:a|b)*a(?:a|b){100}"
    let matcher = try TextPattern(pattern)
    var random = SeededGenerator(seed: 1)
    let bits = (0..<5000).map { _ in Bool.random(using: &random) }
    let text = String(bits.map { $0 ? "a" : "b" })
    #expect(matcher.matches(text) == bits[bits.count - 101])
    #expect(matcher.steps < 5000 * 600)
  }

  @Test func `a long match ends when it is told to`() throws {
    let matcher = try TextPattern("(?:a|b)*a(?:a|b){100}")
    var text = String(repeating: "ab", count: 100_000)
    var count = 0
    let result = text.withUTF8 { text in
      matcher.matches(text) {
        count += 1
        return count == 3
      }
    }
    #expect(result == nil)
    #expect(matcher.steps < 20_000)
    #expect(matcher.matches("a" + String(repeating: "b", count: 100)))
  }

  @Test func `texts with very many kinds of characters are told apart`() throws {
    let scalars = (0x4E00..<0x4E00 + 300).compactMap { Unicode.Scalar($0) }
    let pattern = "[" + scalars.map { "\($0)" }.joined() + "]+"
    #expect(try TextPattern(pattern).matches(String(String.UnicodeScalarView(scalars))))
    let row = scalars.map { "\($0)" }.joined()
    let matcher = try TextPattern(row)
    #expect(matcher.matches(row))
    #expect(!matcher.matches(String(row.reversed())))
    #expect(matcher.matches(row))
  }
}
