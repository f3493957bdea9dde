import DepotProtocol
import FoundationEssentials
import Testing

@Suite struct PredicateParserTests {
  static let a = QueryExpression.attribute("a")
  static let b = QueryExpression.attribute("b")

  static func int(_ value: Int64) -> QueryExpression { .value(.int64(value)) }
  static func text(_ value: String) -> QueryExpression { .value(.string(value)) }
  static func equal(_ right: QueryExpression) -> QueryExpression { .comparison(.equal, a, right) }

  static let comparisons: [(String, QueryExpression)] = [
    ("a = 1", .comparison(.equal, a, int(1))), ("a == 1", .comparison(.equal, a, int(1))),
    ("a != 1", .comparison(.notEqual, a, int(1))), ("a <> 1", .comparison(.notEqual, a, int(1))),
    ("a < 1", .comparison(.less, a, int(1))), ("a <= 1", .comparison(.lessOrEqual, a, int(1))),
    ("a =< 1", .comparison(.lessOrEqual, a, int(1))), ("a > 1", .comparison(.greater, a, int(1))),
    ("a >= 1", .comparison(.greaterOrEqual, a, int(1))),
    ("a => 1", .comparison(.greaterOrEqual, a, int(1))),
    ("a==1", .comparison(.equal, a, int(1))),
    ("\t(a)\r\n==\n( 1 ) ", .comparison(.equal, a, int(1))),
    ("a ==[c] 'x'", .comparison(.equal, a, text("x"), options: .caseInsensitive)),
    ("a !=[CD] 'x'", .comparison(.notEqual, a, text("x"), options: both)),
    ("a <[d]'x'", .comparison(.less, a, text("x"), options: .diacriticInsensitive)),
    ("a CONTAINS 'x'", .text(.contains, a, text("x"))),
    ("a beginswith[dc] 'x'", .text(.begins, a, text("x"), options: both)),
    ("a ENDSWITH [c] 'x'", .text(.ends, a, text("x"), options: .caseInsensitive)),
    ("a Like '*x?'", .text(.like, a, text("*x?"))),
    (#"a MATCHES '\\d+'"#, .text(.matches, a, text(#"\d+"#))),
    ("a BETWEEN {1, 2}", .between(a, int(1), int(2))),
    ("a between { b - 1 , b+1}", .between(a, sum(.subtract, b, int(1)), sum(.add, b, int(1)))),
    ("a IN {}", .in(a, [])), ("a IN {1}", .in(a, [int(1)])),
    (
      "a in[c] {'x', 'y', NULL}",
      .in(a, [text("x"), text("y"), .value(.null)], options: .caseInsensitive)
    ),
    ("'x' == a", .comparison(.equal, text("x"), a)),
    ("(a == 1) == TRUE", .comparison(.equal, equal(int(1)), .value(.bool(true)))),
  ]
  static let both: QueryExpression.TextOptions = [.caseInsensitive, .diacriticInsensitive]
  static func sum(
    _ arithmetic: QueryExpression.Arithmetic,
    _ left: QueryExpression,
    _ right: QueryExpression
  ) -> QueryExpression { .arithmetic(arithmetic, left, right) }

  @Test(arguments: comparisons)
  func `every spelling of a comparison is read`(text: String, tree: QueryExpression) throws {
    #expect(try PredicateParser.parse(text) == tree)
  }

  static let logic: [(String, QueryExpression)] = [
    ("a", a), ("NOT a", .not(a)), ("!a", .not(a)), ("! ! a", .not(.not(a))), ("not a", .not(a)),
    ("a AND b", .and([a, b])), ("a && b", .and([a, b])), ("a and b", .and([a, b])),
    ("a OR b", .or([a, b])), ("a||b", .or([a, b])), ("a And b Or a", .or([.and([a, b]), a])),
    ("a AND b && a AND b", .and([a, b, a, b])), ("a OR b AND a", .or([a, .and([b, a])])),
    ("(a OR b) AND a", .and([.or([a, b]), a])), ("(a AND b) AND a", .and([.and([a, b]), a])),
    ("a AND (b AND a)", .and([a, .and([b, a])])), ("NOT a AND b", .and([.not(a), b])),
    ("NOT a == 1", .not(equal(int(1)))), ("!(a == 1)", .not(equal(int(1)))),
    ("a AND NOT b OR a", .or([.and([a, .not(b)]), a])), ("((((a))))", a),
    ("TRUEPREDICATE", .and([])), ("falsepredicate", .or([])),
    ("a OR TRUEPREDICATE", .or([a, .and([])])),
    ("a == 1 AND b == 2", .and([equal(int(1)), .comparison(.equal, b, int(2))])),
  ]

  @Test(arguments: logic)
  func `logic binds from OR to AND to NOT`(text: String, tree: QueryExpression) throws {
    #expect(try PredicateParser.parse(text) == tree)
  }

  static let arithmetic: [(String, QueryExpression)] = [
    ("a + b * a", sum(.add, a, sum(.multiply, b, a))),
    ("a * b + a", sum(.add, sum(.multiply, a, b), a)),
    ("a - b - a", sum(.subtract, sum(.subtract, a, b), a)),
    ("a - (b - a)", sum(.subtract, a, sum(.subtract, b, a))),
    ("a / b / a", sum(.divide, sum(.divide, a, b), a)), ("-a * b", sum(.multiply, .negate(a), b)),
    ("- -a", .negate(.negate(a))), ("a--1", sum(.subtract, a, int(-1))), ("-(5)", .negate(int(5))),
    ("a-1", sum(.subtract, a, int(1))), ("a * -b", sum(.multiply, a, .negate(b))),
    ("a + 1 == b * 2", .comparison(.equal, sum(.add, a, int(1)), sum(.multiply, b, int(2)))),
  ]

  @Test(arguments: arithmetic)
  func `arithmetic binds as usual and tighter than comparison`(
    text: String,
    tree: QueryExpression
  ) throws {
    #expect(try PredicateParser.parse(text) == tree)
  }

  static let literals: [(String, QueryExpression)] = [
    ("NULL", .value(.null)), ("nil", .value(.null)), ("TRUE", .value(.bool(true))),
    ("yes", .value(.bool(true))), ("FALSE", .value(.bool(false))), ("No", .value(.bool(false))),
    ("0", int(0)), ("-5", int(-5)), ("- 5", int(-5)), ("9223372036854775807", int(.max)),
    ("-9223372036854775808", int(.min)), ("0xFF", int(255)), ("0Xff", int(255)),
    ("0o17", int(15)), ("0b101", int(5)), ("-0x8000000000000000", int(.min)),
    ("1.5", .value(.double(1.5))), ("1e3", .value(.double(1000))),
    ("2.5E-3", .value(.double(0.0025))), ("1e+2", .value(.double(100))),
    ("-1.5", .value(.double(-1.5))),
    ("'x'", text("x")), ("\"x\"", text("x")), ("''", text("")), ("'a\"b'", text("a\"b")),
    (#"'\'\"\\\/\b\f\n\r\t'"#, text("'\"\\/\u{8}\u{C}\n\r\t")),
    (#"'\u00e9\u0000\uD83D\uDE00'"#, text("é\0😀")), ("'é😀\n'", text("é😀\n")),
    ("'// {} [c] NOT'", text("// {} [c] NOT")),
    ("SELF", .variable("SELF")), ("self", .variable("SELF")), ("$id", .attribute("$id")),
    ("$version", .attribute("$version")), ("now()", .now), ("NOW( )", .now),
    ("now", .attribute("now")),
    ("#and", .attribute("and")), ("#TRUE", .attribute("TRUE")), ("#name", .attribute("name")),
    ("_a9", .attribute("_a9")), ("size", .attribute("size")), ("cast", .attribute("cast")),
    ("first", .attribute("first")),
  ]

  @Test(arguments: literals)
  func `literals and names are read`(text: String, tree: QueryExpression) throws {
    #expect(try PredicateParser.parse("a == \(text)") == Self.equal(tree))
    #expect(try PredicateParser.parse(text).json == tree.json)
  }

  static let casts: [(String, Value)] = [
    (
      #"CAST("2026-01-01T00:00:00Z", "date")"#,
      .date(Date(timeIntervalSinceReferenceDate: 788_918_400))
    ),
    ("cast('2001-01-01T01:00:00+01:00','date')", .date(Date(timeIntervalSinceReferenceDate: 0))),
    ("CAST(-1.25e-10, 'date')", .date(Date(timeIntervalSinceReferenceDate: -1.25e-10))),
    ("CAST('2001-01-02', 'date')", .date(Date(timeIntervalSinceReferenceDate: 86_400))),
    ("CAST(7, 'date')", .date(Date(timeIntervalSinceReferenceDate: 7))),
    ("CAST('Infinity', 'date')", .date(Date(timeIntervalSinceReferenceDate: .infinity))),
    ("CAST('1.50', 'decimal')", .decimal(Decimal(sign: .plus, exponent: -1, significand: 15))),
    ("CAST(15, 'decimal')", .decimal(15)), ("CAST('42', 'int64')", .int64(42)),
    ("CAST(42, 'double')", .double(42)), ("CAST('-Infinity', 'double')", .double(-.infinity)),
    ("CAST('AQI=', 'data')", .data(Data([1, 2]))), ("CAST('x', 'string')", .string("x")),
    ("CAST(YES, 'bool')", .bool(true)),
  ]

  @Test(arguments: casts)
  func `a cast gives a value of its type`(text: String, value: Value) throws {
    #expect(try PredicateParser.parse(text) == .value(value))
  }

  @Test func `a cast to a UUID or URL takes their text`() throws {
    let uuid = try #require(UUID(uuidString: "6BA7B810-9DAD-11D1-80B4-00C04FD430C8"))
    let url = try #require(URL(string: "https://example.org/x"))
    let uuidText = "CAST('6ba7b810-9dad-11d1-80b4-00c04fd430c8', 'uuid')"
    #expect(try PredicateParser.parse(uuidText) == .value(.uuid(uuid)))
    #expect(try PredicateParser.parse("CAST('https://example.org/x', 'url')") == .value(.url(url)))
  }

  @Test func `a string compared with an attribute stays a string`() throws {
    #expect(
      try PredicateParser.parse("a > '2026-01-01T00:00:00Z'")
        == .comparison(.greater, Self.a, Self.text("2026-01-01T00:00:00Z"))
    )
  }

  @Test func `the examples of the command line are read`() throws {
    #expect(
      try PredicateParser.parse("section == 'database' AND installedSize > 10000")
        == .and([
          .comparison(.equal, .attribute("section"), Self.text("database")),
          .comparison(.greater, .attribute("installedSize"), Self.int(10_000)),
        ])
    )
    #expect(
      try PredicateParser.parse("maintainer CONTAINS[c] 'debian'")
        == .text(
          .contains,
          .attribute("maintainer"),
          Self.text("debian"),
          options: .caseInsensitive
        )
    )
  }
}
