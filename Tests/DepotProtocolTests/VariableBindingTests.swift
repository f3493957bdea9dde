import DepotProtocol
import Testing

@Suite struct VariableBindingTests {
  private static let a = QueryExpression.attribute("a")

  static let bound: [(String, [String: Value], QueryExpression)] = [
    ("a > $low", ["low": .int64(5)], .comparison(.greater, a, .value(.int64(5)))),
    ("a == $x OR a == $x", ["x": .null], .or([equal(.null), equal(.null)])),
    ("a IN $ids", ["ids": .list([.int64(1), .null])], .in(a, [.value(.int64(1)), .value(.null)])),
    ("a IN $ids", ["ids": .list([])], .in(a, [])),
    (
      "a IN[c] $names", ["names": .list([.string("x")])],
      .in(a, [.value(.string("x"))], options: .caseInsensitive)
    ),
    (
      "a BETWEEN $range", ["range": .list([.int64(1), .int64(2)])],
      .between(a, .value(.int64(1)), .value(.int64(2)))
    ),
    ("$list.@sum > a", ["list": .list([.int64(1)])], .comparison(.greater, sum, a)),
    ("a == $list", ["list": .list([.int64(1)])], equal(.list([.int64(1)]))),
    ("SELF MATCHES TEXT $words", ["words": .string("x")], .search([], "x")),
    ("a[$n]", ["n": .int64(2)], .element(a, 2)),
    (
      "SUBQUERY(a, $x, $x == $y).@count == $x", ["x": .int64(1), "y": .int64(2)],
      .comparison(
        .equal,
        .aggregate(
          .count,
          .filtered(a, "x", .comparison(.equal, .variable("x"), .value(.int64(2))))
        ),
        .value(.int64(1))
      )
    ),
  ]
  static let sum = QueryExpression.aggregate(.sum, .value(.list([.int64(1)])))
  static func equal(_ value: Value) -> QueryExpression { .comparison(.equal, a, .value(value)) }

  @Test(arguments: bound)
  func `a variable stands for its value`(
    text: String,
    values: [String: Value],
    tree: QueryExpression
  ) throws {
    #expect(try PredicateParser.parse(text, binding: values) == tree)
  }

  static let refused: [(String, [String: Value], DepotError.Code, String)] = [
    ("a == $x", [:], .predicate, "variable $x"),
    ("a == $minmum", ["minimum": .int64(1)], .predicate, "Did you mean $minimum?"),
    ("a == 1", ["x": .int64(1)], .usage, "$x is bound but doesn't occur"),
    ("SUBQUERY(a, $x, $x).@count", ["x": .int64(1)], .usage, "$x is bound"),
    ("a IN $x", ["x": .int64(1)], .predicate, "IN takes a list"),
    ("a BETWEEN $x", ["x": .list([.int64(1)])], .predicate, "can't take 1 values"),
    ("ANY $x == 1", ["x": .int64(1)], .predicate, "collection"),
    ("a == $#1", [:], .predicate, "variable $#1"),
    ("SELF MATCHES TEXT $x", ["x": .int64(1)], .predicate, "takes a text"),
  ]

  @Test(arguments: refused)
  func `a variable without a value and a value without a variable are errors`(
    text: String,
    values: [String: Value],
    code: DepotError.Code,
    words: String
  ) throws {
    let error = try #require(throws: DepotError.self) {
      try PredicateParser.parse(text, binding: values)
    }
    #expect(error.code == code)
    #expect("\(error.message) \(error.hint ?? "")".contains(words), "\(error)")
  }

  @Test func `the largest list is bound and read back`() throws {
    let values = (0..<Limits.listElements).map { Value.int64(Int64($0)) }
    let tree = try PredicateParser.parse("$id IN $ids", binding: ["ids": .list(values)])
    let again = try QueryExpression(JSONDocument(Array(tree.json.utf8)).root)
    #expect(again == tree)
  }

  @Test func `an expression is read by itself`() throws {
    #expect(
      try PredicateParser.parseExpression("a * $n", binding: ["n": .int64(2)])
        == .arithmetic(.multiply, Self.a, .value(.int64(2)))
    )
    let error = try #require(throws: DepotError.self) { try PredicateParser.parseExpression("") }
    #expect(error.message.contains("The expression is empty"))
  }
}
