import DepotProtocol
import FoundationEssentials
import Testing

/// What the format language says of paths, collections, and functions.
@Suite struct PredicateLanguageTests {
  static let a = QueryExpression.attribute("a")
  static let x = QueryExpression.variable("x")
  static let element = QueryExpression.variable("#1")
  static let items = QueryExpression.attribute("items")
  static let prices = QueryExpression.attribute("items.price")
  static let itself = QueryExpression.variable("SELF")

  static func int(_ value: Int64) -> QueryExpression { .value(.int64(value)) }
  static func list(_ values: Int64...) -> QueryExpression {
    .value(.list(values.map(Value.int64)))
  }
  static func greater(_ left: QueryExpression, _ right: Int64) -> QueryExpression {
    .comparison(.greater, left, int(right))
  }

  static let paths: [(String, QueryExpression)] = [
    ("a.b.c", .attribute("a.b.c")), ("a . b", .attribute("a.b")),
    ("a.#and.or", .attribute("a.and.or")), ("#in.b", .attribute("in.b")),
    ("a.$id", .attribute("a.$id")), ("$entity", .attribute("$entity")),
    ("SELF.a.b", .member(itself, "a.b")), ("(a).b", .member(a, "b")),
    ("((a).b).c", .member(.member(a, "b"), "c")), ("a[0]", .element(a, 0)),
    ("a[FIRST]", .element(a, 0)), ("a[last]", .element(a, -1)), ("a[-2]", .element(a, -2)),
    ("a[SIZE]", .aggregate(.count, a)), ("a[1:3]", .slice(a, 1..<3)),
    ("a.b[0].c", .member(.element(.attribute("a.b"), 0), "c")),
    ("a['k']", .function(.json, [a, .value(.string("k"))])),
    ("objectFrom:withIndex:(a, 2)", .element(a, 2)),
    ("items.@count", .aggregate(.count, items)), ("items.@sum.price", .aggregate(.sum, prices)),
    ("items.price.@sum", .aggregate(.sum, prices)), ("items.@min.price", .aggregate(.min, prices)),
    ("items.@max.price", .aggregate(.max, prices)),
    ("items.@avg.price", .aggregate(.average, prices)),
    ("items.@average.price", .aggregate(.average, prices)),
    ("items.price.@distinctCount", .aggregate(.countDistinct, prices)),
    ("items.price.@median", .aggregate(.median, prices)),
    ("items.@mode.price", .aggregate(.mode, prices)),
    ("items.@stddev.price", .aggregate(.stddev, prices)),
    ("items.@unionOfObjects.price", prices),
    ("items.@unionOfObjects.price.@max", .aggregate(.max, prices)),
    ("items.@distinctUnionOfObjects.price.@count", .aggregate(.countDistinct, prices)),
    ("SELF.items.@sum.price", .aggregate(.sum, .member(itself, "items.price"))),
    ("(items.@max).price", .member(.aggregate(.max, items), "price")),
    ("a AS Trip", .cast(a, entity: "Trip")), ("(SELF as Trip).b", trip("b")),
    ("SELF AS Trip.b", trip("b")), ("SELF AS Trip.b.@count > 1", greater(count(trip("b")), 1)),
    ("CAST(SELF, 'Trip')", .cast(itself, entity: "Trip")), ("a IS Trip", .is(a, entity: "Trip")),
    ("SELF IS #Any", .is(itself, entity: "Any")), ("is IS is", .is(.attribute("is"), entity: "is")),
  ]
  static func trip(_ path: String) -> QueryExpression {
    .member(.cast(itself, entity: "Trip"), path)
  }
  static func count(_ collection: QueryExpression) -> QueryExpression {
    .aggregate(.count, collection)
  }

  @Test(arguments: paths)
  func `paths, indexes, and casts are read`(text: String, tree: QueryExpression) throws {
    #expect(try PredicateParser.parse(text) == tree)
    #expect(try PredicateParser.parse(PredicatePrinter.text(tree)) == tree)
  }

  static func any(
    _ collection: QueryExpression,
    _ predicate: QueryExpression,
    _ quantifier: QueryExpression.Quantifier = .any
  ) -> QueryExpression { .quantified(quantifier, collection, "#1", predicate) }

  static let collections: [(String, QueryExpression)] = [
    ("ANY items.price > 5", any(prices, greater(element, 5))),
    ("some items.price > 5", any(prices, greater(element, 5))),
    ("ALL items.price > 5", any(prices, greater(element, 5), .all)),
    ("NONE items.price > 5", any(prices, greater(element, 5), .none)),
    (
      "ANY tags CONTAINS[cd] 'x'",
      any(
        .attribute("tags"),
        .text(
          .contains,
          element,
          .value(.string("x")),
          options: [.caseInsensitive, .diacriticInsensitive]
        )
      )
    ),
    ("ANY a IN {1, 2}", any(a, .in(element, [int(1), int(2)]))),
    ("ANY a BETWEEN {1, 2}", any(a, .between(element, int(1), int(2)))),
    ("ANY a IN items", any(a, .contains(items, element))),
    ("ANY a IS Trip", any(a, .is(element, entity: "Trip"))),
    ("ANY {1, 2} == a", any(list(1, 2), .comparison(.equal, element, a))),
    ("ANY (items).price > 5", any(.member(items, "price"), greater(element, 5))),
    ("ANY (items) > 5 AND a", .and([any(items, greater(element, 5)), a])),
    ("NOT ANY items > 5", .not(any(items, greater(element, 5)))),
    (
      "ANY SUBQUERY(items, $x, $x.a).price > 5",
      any(.member(.filtered(items, "x", .member(x, "a")), "price"), greater(element, 5))
    ),
    (
      "ANY(items, $x, $x.price > 5 AND $x.a)",
      .quantified(.any, items, "x", .and([greater(.member(x, "price"), 5), .member(x, "a")]))
    ),
    ("all(items, $x, a) == TRUE", .comparison(.equal, all, .value(.bool(true)))),
    ("a == ALL(items, $x, a)", .comparison(.equal, a, all)),
    (
      "ANY a == (ANY items > 5)",
      any(
        a,
        .comparison(
          .equal,
          element,
          .quantified(.any, items, "#2", greater(.variable("#2"), 5))
        )
      )
    ),
    (
      "SUBQUERY(items, $x, $x.price > a AND ANY $x.tags == $x.name).@count > 2",
      greater(
        count(
          .filtered(
            items,
            "x",
            .and([
              .comparison(.greater, .member(x, "price"), a),
              any(
                .member(x, "tags"),
                .comparison(.equal, element, .member(x, "name"))
              ),
            ])
          )
        ),
        2
      )
    ),
    (
      "SUBQUERY(items, $x, SUBQUERY($x.items, $y, $y == $x)[SIZE] > 0).price.@sum > 1",
      greater(
        .aggregate(
          .sum,
          .member(
            .filtered(
              items,
              "x",
              greater(
                count(
                  .filtered(
                    .member(x, "items"),
                    "y",
                    .comparison(.equal, .variable("y"), x)
                  )
                ),
                0
              )
            ),
            "price"
          )
        ),
        1
      )
    ),
    ("a IN items.price", .contains(prices, a)), ("a IN (items)", .contains(items, a)),
    ("a IN ({1, 2})", .contains(list(1, 2), a)), ("a IN {1}", .in(a, [int(1)])),
    ("a IN {b, 1}", .in(a, [.attribute("b"), int(1)])),
    ("a IN {{1}, {}}", .in(a, [list(1), list()])),
    (
      "a IN[c] items",
      any(items, .comparison(.equal, element, a, options: .caseInsensitive))
    ),
    ("items CONTAINS a", .text(.contains, items, a)),
    ("a == {1, 2}", .comparison(.equal, a, list(1, 2))),
    ("{1, 2}.@sum > 1", greater(.aggregate(.sum, list(1, 2)), 1)),
    ("{}", .value(.list([]))),
    ("SELF MATCHES TEXT 'x y'", .search([], "x y")),
    ("a.b matches text 'x'", .search(["a.b"], "x")),
    ("{a, #in.b} MATCHES TEXT 'x' AND a", .and([.search(["a", "in.b"], "x"), a])),
    ("a MATCHES text", .text(.matches, a, .attribute("text"))),
  ]
  static let all = QueryExpression.quantified(.all, items, "x", a)

  @Test(arguments: collections)
  func `collections are quantified, filtered, and searched`(
    text: String,
    tree: QueryExpression
  ) throws {
    #expect(try PredicateParser.parse(text) == tree)
    #expect(try PredicateParser.parse(PredicatePrinter.text(tree)) == tree)
  }

  static func function(
    _ function: QueryExpression.Function,
    _ values: QueryExpression...
  ) -> QueryExpression { .function(function, values) }

  static let greatest = QueryExpression.value(.decimal(Decimal(UInt64.max)))

  static let functions: [(String, QueryExpression)] = [
    ("uppercase(a)", function(.uppercase, a)), ("UPPERCASE:(a)", function(.uppercase, a)),
    ("length(a.b)", function(.length, .attribute("a.b"))), ("random()", function(.random)),
    ("ceiling:(a)", function(.ceiling, a)), ("onesComplement:(a)", function(.onesComplement, a)),
    ("bitwiseAnd:with:(a, 1)", function(.bitwiseAnd, a, int(1))),
    ("bitwiseXor(a, 1)", function(.bitwiseXor, a, int(1))),
    ("leftshift:by:(a, 1)", function(.leftshift, a, int(1))),
    ("add:to:(a, 1)", .arithmetic(.add, a, int(1))),
    ("from:subtract:(a, 1)", .arithmetic(.subtract, a, int(1))),
    ("multiply:by:(a, 1)", .arithmetic(.multiply, a, int(1))),
    ("divide:by:(a, 1)", .arithmetic(.divide, a, int(1))),
    ("modulus:by:(a, 1)", .arithmetic(.modulo, a, int(1))),
    ("raise:toThe:(a, 1)", .arithmetic(.power, a, int(1))), ("noindex:(a)", a),
    ("noindex(a).b", .member(a, "b")), ("sum(items.price)", .aggregate(.sum, prices)),
    ("sum:({1, 2})", .aggregate(.sum, list(1, 2))), ("max({1, 2})", .aggregate(.max, list(1, 2))),
    ("max({a, 1})", .aggregate(.max, .list([a, int(1)]))),
    ("{a, items[0]}.@sum", .aggregate(.sum, .list([a, .element(items, 0)]))),
    ("b IN ({a, 1})", .contains(.list([a, int(1)]), .attribute("b"))),
    ("average(items)", .aggregate(.average, items)), ("count(items)", count(items)),
    ("TERNARY(a, 1, 2)", .conditional(a, int(1), int(2))),
    ("COALESCE(a, 1)", .coalesce([a, int(1)])), ("coalesce(a)", .coalesce([a])),
    ("CAST(a, 'string')", .convert(a, .string)),
    ("castObject:toType:(a.b, 'NSString')", .convert(.attribute("a.b"), .string)),
    ("CAST((1), 'string')", .convert(int(1), .string)),
    ("CAST(a, 'uint8')", .narrow(a, .uint8)), ("CAST(a, \"float\")", .narrow(a, .float)),
    ("CAST(3.9, 'int8')", int(3)), ("CAST('18446744073709551615', 'uint64')", greatest),
    ("CAST(0.1, 'float')", .value(.double(Double(Float(0.1))))),
    ("CAST(-TRUE, 'string')", .convert(.negate(.value(.bool(true))), .string)),
    (
      "CAST(CAST(1, 'date'), 'double')",
      .convert(.value(.date(.init(timeIntervalSinceReferenceDate: 1))), .double)
    ),
    ("CAST(1, 'NSDate')", .value(.date(.init(timeIntervalSinceReferenceDate: 1)))),
    (#"CAST('{"a": 1}', 'json')"#, .value(.json(#"{"a":1}"#))),
    ("a ** 2 * 3", .arithmetic(.multiply, .arithmetic(.power, a, int(2)), int(3))),
    ("a ** 2 ** 3", .arithmetic(.power, .arithmetic(.power, a, int(2)), int(3))),
    ("-a ** 2", .arithmetic(.power, .negate(a), int(2))),
    ("a % 2 == 0", .comparison(.equal, .arithmetic(.modulo, a, int(2)), int(0))),
    (
      "a ==[nl] 'x'",
      .comparison(.equal, a, .value(.string("x")), options: [.normalized, .localized])
    ),
    ("uppercase", .attribute("uppercase")), ("sum.count", .attribute("sum.count")),
  ]

  @Test(arguments: functions)
  func `functions are read in both spellings`(text: String, tree: QueryExpression) throws {
    #expect(try PredicateParser.parse(text) == tree)
    #expect(try PredicateParser.parse(PredicatePrinter.text(tree)) == tree)
  }

  @Test func `every function is called by its name`() throws {
    for function in QueryExpression.Function.allCases {
      let tree = QueryExpression.function(
        function,
        Array(repeating: Self.a, count: function.arity)
      )
      #expect(try PredicateParser.parse(PredicatePrinter.text(tree)) == tree)
    }
  }

  static let faults: [(String, Int, String)] = [
    ("a.", 2, "name of an attribute"), ("a.5", 2, "name of an attribute"),
    ("a.b.$x", 4, "name of an attribute"),
    ("$id.a", 3, "Nothing can follow $id"), ("a.$id.b", 5, "Nothing can follow $id"),
    ("items.@foo", 6, "no collection operator"), ("items.@cuont", 6, "@count"),
    ("items.@", 6, "must follow"), ("items.@count.price > 1", 12, "Nothing can follow @count"),
    ("items.@sum.tags.@count", 15, "each element"), ("items.@unionOfObjects", 6, "needs the path"),
    ("items.@distinctUnionOfObjects.price.@sum", 6, "can only be counted"),
    ("a IN items.@distinctUnionOfObjects.price", 11, "duplicates don't matter"),
    ("a[b]", 2, "[FIRST]"), ("a[3:1]", 4, "slice"), ("a[1", 3, "\"]\""), ("1[0]", 1, "collection"),
    ("a[1.5]", 2, "position"), ("ANY a", 5, "comparison must follow"),
    ("ANY a + 1 == 2", 6, "comparison must follow"), ("ANY 1 == a", 4, "collection"),
    ("a == ANY b == 1", 5, "parentheses"), ("ANY a == 1 == 2", 11, "chained"),
    ("ANY(a, x, b)", 7, "name for the element"), ("ANY(a, $id, b)", 7, "taken"),
    ("SUBQUERY(a)", 10, "\",\""), ("SUBQUERY(a, $x)", 14, "\",\""),
    ("SUBQUERY(a, $x, $y)", 16, "no value for the variable $y"),
    ("SUBQUERY(1, $x, b)", 9, "collection"), ("SUBQUERY(a, $x, b) AND $x", 23, "variable $x"),
    ("$SELF == 1", 0, "without $"), ("a IN 'abc'", 5, "CONTAINS"),
    ("a == {{1}}", 5, "can't hold lists"), ("max({a, {b}})", 4, "can't hold lists"),
    ("sum(1)", 4, "collection"),
    ("sum(a, b)", 0, "list in braces"), ("abs()", 0, "takes 1 value, not 0"),
    ("json(a)", 0, "takes 2 values"), ("COALESCE()", 0, "at least one"),
    ("TERNARY(a, b)", 0, "takes 3 values"), ("lenght(a)", 0, "Did you mean length()?"),
    ("add:to(a, b)", 0, "no function"), ("add:to: b", 0, "is called"), ("a: b", 0, "is called"),
    ("distanceToLocation:fromLocation:(a, b)", 0, "no locations"), ("FETCH(a)", 0, "relationship"),
    ("FUNCTION(a, 'b')", 0, "no methods"), ("a == %@", 5, "$name"), ("%K == 1", 0, "$name"),
    ("a := 1", 2, "assign"), ("a IS NOT NULL", 5, "!= NULL"), ("a IS 5", 5, "entity"),
    ("a IS TRUE", 5, "== TRUE"), ("SELF AS 5", 5, "no operator"),
    ("a + 1 MATCHES TEXT 'x'", 6, "attributes can be searched"),
    ("a + {b, c} MATCHES TEXT 'x'", 11, "attributes can be searched"),
    ("CAST(a, b)", 8, "name of a type"),
    ("CAST(a, 'composite')", 8, "name of a type"), ("CAST('x', 'json')", 5, "type json"),
    ("CAST(300, 'uint8')", 5, "type uint8"), ("CAST(-1, 'uint64')", 6, "type uint64"),
    ("CAST(9223372036854775808, 'decimal')", 5, "too large"), ("a.b c", 4, "operator"),
    ("a CONTAINS[cx] 'b'", 11, "option"),
  ]

  @Test(arguments: faults)
  func `a fault is named with its place and advice`(
    text: String,
    offset: Int,
    words: String
  ) throws {
    let error = try #require(throws: DepotError.self) { try PredicateParser.parse(text) }
    #expect(error.code == .predicate)
    #expect(error.details?["offset"] == .int64(Int64(offset)), "\(error)")
    #expect("\(error.message) \(error.hint ?? "")".contains(words), "\(error)")
  }
}
