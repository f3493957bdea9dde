import DepotProtocol
import TestSupport
import Testing

@Suite struct PredicateErrorTests {
  /// Texts with the offset of the fault and a part of the message or hint.
  static let table: [(String, Int, String)] = [
    ("", 0, "TRUEPREDICATE"), ("   ", 0, "empty"), ("a ==", 4, "ends"), ("== 1", 0, "value"),
    ("a == 1 b", 7, "operator"), ("a CONTAIN 'x'", 2, "Did you mean CONTAINS?"),
    ("a BEGINWITH 'x'", 2, "BEGINSWITH"), ("a STARTSWITH 'x'", 2, "BEGINSWITH"),
    ("a IS NULL", 5, "Did you mean == NULL?"), ("a LIK 'x'", 2, "LIKE"),
    ("a = 1 ADN b = 2", 6, "AND"),
    ("(a = 1 ADN b = 2)", 7, "AND"), ("a === 1", 2, "=="), ("a =! 1", 2, "!="),
    ("a =~ 'x'", 2, "MATCHES"),
    ("a & b", 2, "&&"), ("a | b", 2, "||"), ("a := 2", 2, "assign"),
    ("FUNCTION(a)", 0, "FUNCTION can't be used"),
    ("@count == 1", 0, "items.@count"), ("upper(a) == 'x'", 0, "no function \"upper\""),
    ("a == %@", 5, "%@"), ("a == $x", 5, "SUBQUERY(items, $x, …)"),
    ("a NOT IN {1}", 2, "NOT a IN {1, 2}"),
    ("a == NOT b", 5, "parentheses"), ("a == !b", 5, "parentheses"), ("a < b < 3", 6, "chained"),
    ("a BETWEEN 1 AND 2", 10, "BETWEEN {low, high}"), ("a BETWEEN {1}", 2, "1 values"),
    ("a BETWEEN {1,2,3}", 2, "3 values"), ("a IN (1, 2)", 7, "braces"), ("a IN 1", 5, "braces"),
    ("a IN {1, }", 9, "value"), ("a IN {1 2}", 8, "\",\" or \"}\""), ("a IN {1", 7, "the end"),
    ("(a == 1", 7, "\")\""), ("a == 1)", 6, "no \"(\""),
    ("()", 1, "value"),
    ("a CONTAINS[x] 'b'", 11, "[c], [d], [n], and [l]"),
    ("a CONTAINS[] 'b'", 11, "option"),
    ("a CONTAINS[c 'b'", 13, "]"), ("a == 'x", 5, "doesn't end"), ("a == \"x'", 5, "doesn't end"),
    (#"a == 'x\"#, 5, "doesn't end"), (#"a == '\x'"#, 6, "twice"), (#"a == '\u12'"#, 6, "Four"),
    (#"a == '\ud800'"#, 6, "surrogate"), (#"a == '\udc00'"#, 6, "surrogate"),
    (#"a == '\ud800\u0041'"#, 6, "surrogate"), ("a == 007", 5, "0o"), ("a == 1.", 6, "go on"),
    ("a == .5", 5, "digit"), ("a == 1e", 7, "exponent"), ("a == 5kb", 6, "go on"),
    ("a == 0x", 7, "base 16"),
    ("a == 0b12", 8, "go on"), ("a == 1e999", 5, "1.797e308"),
    ("a == 9223372036854775808", 5, "decimal"),
    ("a == -9223372036854775809", 6, "too large"), ("a == 99999999999999999999", 5, "too large"),
    ("a == ‘x’", 5, "straight"), ("a == `x`", 5, "#"), ("€ == 1", 0, "€"), ("a ; b", 2, ";"),
    ("# a", 0, "name"),
    ("$", 0, "name"), ("a == CAST(b, 'money')", 13, "name of a type"),
    ("a == CAST('x', 'NSColor')", 15, "\"date\""),
    ("a == CAST('x', 'date')", 10, "2026-02-01 12:30"),
    ("a == CAST('x' 'date')", 14, "\",\""), ("a == CAST(", 10, "ends"),
    ("a == CAST(1,", 12, "CAST"),
    ("CAST(-", 6, "CAST"), ("now(1)", 0, "now() takes 0 values, not 1"), ("a AND", 5, "ends"),
    ("AND a", 0, "#AND"),
    ("NOT", 3, "ends"),
    ("-", 1, "ends"), ("a IN", 4, "braces"), ("a == #", 5, "name"),
  ]

  @Test(arguments: table)
  func `a fault is named with its place and advice`(
    text: String,
    offset: Int,
    words: String
  ) throws {
    let error = try #require(throws: DepotError.self) { try PredicateParser.parse(text) }
    #expect(error.code == .predicate)
    #expect(error.details?["offset"] == .int64(Int64(offset)))
    #expect("\(error.message) \(error.hint ?? "")".contains(words), "\(error)")
  }

  @Test func `the column counts characters and the hint points at it`() throws {
    let error = try #require(throws: DepotError.self) {
      try PredicateParser.parse("name == 'é😀' ADN b")
    }
    #expect(error.details?["offset"] == .int64(17))
    #expect(error.details?["column"] == .int64(14))
    #expect(
      error.hint == "Did you mean AND?\n  name == 'é😀' ADN b\n               ^"
    )
  }

  @Test func `a long text is not repeated`() throws {
    let error = try #require(throws: DepotError.self) {
      try PredicateParser.parse(String(repeating: "a AND ", count: 20))
    }
    #expect(error.hint == nil)
  }

  @Test(arguments: [
    "(", "NOT ", "-", "a IN {", "!(", "-(", "1 + (", "abs(", "ANY (", "a[0].b AS C + (",
    "{", "SUBQUERY(", "CAST((", "add:to:(a,",
  ])
  func `bottomless nesting is refused rather than a crash`(opening: String) throws {
    let text = String(repeating: opening, count: PredicateParser.textBytes / opening.utf8.count)
    let error = try #require(throws: DepotError.self) { try PredicateParser.parse(text) }
    #expect(error.code == .predicateTooLarge)
  }

  @Test func `nesting is accepted up to the limit and not beyond`() throws {
    func nested(_ count: Int) -> String {
      String(repeating: "(", count: count) + "a" + String(repeating: ")", count: count)
    }
    #expect(try PredicateParser.parse(nested(2 * Limits.predicateDepth)) == .attribute("a"))
    #expect(throws: DepotError.self) {
      try PredicateParser.parse(nested(2 * Limits.predicateDepth + 1))
    }
  }

  @Test func `a chain that makes a deep tree is refused`() throws {
    func chain(_ count: Int) -> String {
      Array(repeating: "a", count: count).joined(separator: "+")
    }
    _ = try PredicateParser.parse(chain(Limits.predicateDepth))
    let error = try #require(throws: DepotError.self) {
      try PredicateParser.parse(chain(Limits.predicateDepth + 1))
    }
    #expect(error.code == .predicateTooLarge)
  }

  @Test func `parts are counted, but not the constants of lists`() throws {
    func list(_ element: String, _ count: Int) -> String {
      "a IN {" + Array(repeating: element, count: count).joined(separator: ",") + "}"
    }
    _ = try PredicateParser.parse(list("1", 10_000))
    _ = try PredicateParser.parse(list("b", Limits.predicateNodes - 2))
    let error = try #require(throws: DepotError.self) {
      try PredicateParser.parse(list("b", Limits.predicateNodes - 1))
    }
    #expect(error.code == .predicateTooLarge)
  }

  @Test func `a text over the limit is refused unread`() throws {
    let room = PredicateParser.textBytes - "a == ''".utf8.count
    func text(_ count: Int) -> String { "a == '" + String(repeating: "x", count: count) + "'" }
    _ = try PredicateParser.parse(text(room))
    let error = try #require(throws: DepotError.self) { try PredicateParser.parse(text(room + 1)) }
    #expect(error.code == .predicateTooLarge)
  }

  @Test func `any sequence of tokens is refused, or a tree that both forms give back`() throws {
    var generator = SeededGenerator(seed: 7)
    let pieces = [
      "a", "#b", "$id", "'x'", "1", "1.5", "0x1", "(", ")", "{", "}", "[", "]", "[c]", ",", "==",
      "<", "-", "+", "!", "NOT", "AND", "OR", "IN", "BETWEEN", "CONTAINS", "CAST(", "now()", "NULL",
      "TRUEPREDICATE", "'date'", "@", ".", "%", "ANY", "é", "\\", "'", "SUBQUERY(", "$x", "$#1",
      "@count", "SELF", "IS", "AS", "MATCHES", "TEXT", ":", "LAST", "abs(", "add:to:(", "**",
    ]
    var accepted = 0
    for _ in 0..<40_000 {
      let count = Int.random(in: 1...9, using: &generator)
      let text = (0..<count).map { _ in generator.pick(pieces) }.joined(separator: " ")
      let tree: QueryExpression
      do {
        tree = try PredicateParser.parse(text)
      } catch {
        #expect(error.code == .predicate)
        continue
      }
      accepted += 1
      let printed = PredicatePrinter.text(tree)
      #expect(try PredicateParser.parse(printed).json == tree.json, "\(text) is \(printed)")
      let wrapped = QueryExpression.not(tree).json
      let node = try JSONDocument(Array(wrapped.utf8)).root
      #expect(try QueryExpression(node).json == wrapped, "\(text)")
    }
    #expect(accepted > 100)
  }
}
