import DepotProtocol
import TestSupport
import Testing

@Suite struct PredicatePrinterTests {
  @Test func `the parser reads back every tree that the printer writes`() throws {
    var generator = SeededGenerator(seed: 42)
    for _ in 0..<5_000 {
      let tree = generator.expression(depth: 5)
      let text = PredicatePrinter.text(tree)
      let parsed = try PredicateParser.parse(text)
      guard parsed.json == tree.json else {
        Issue.record("\(text) became \(parsed.json), not \(tree.json)")
        return
      }
      #expect(PredicatePrinter.text(parsed) == text)
    }
  }

  @Test func `every value of every type is printed exactly`() throws {
    var generator = SeededGenerator(seed: 43)
    for _ in 0..<20_000 {
      let value = generator.value()
      let text = PredicatePrinter.text(.value(value))
      guard case .value(let parsed) = try PredicateParser.parse(text), parsed.isIdentical(to: value)
      else {
        Issue.record("\(text) isn't \(value)")
        return
      }
    }
  }

  /// Texts that the printer writes for what the parser reads from them.
  static let canonical = [
    "a == 1", "a ==[cd] \"x\"", "a CONTAINS[c] \"x\"", "a BETWEEN {1, 2}", "a IN {1, NULL}",
    "NOT (a == 1 OR b)", "NOT a == 1 AND b", "(a OR b) AND c", "a AND b OR c", "(a AND b) AND c",
    "a + b * c", "(a + b) * c", "a - (b - c)", "-a", "-(5)", "--5", "-5 * a", "a - -5", "$id == 5",
    "#and == TRUE", "TRUEPREDICATE", "FALSEPREDICATE OR a", "a == (b == c)", "now() - a < 5.0",
    "a == -0.0", "CAST(\"NaN\", \"double\") == a", "CAST(\"2026-01-01T00:00:00Z\", \"date\") <= a",
    "a == \"\\u0000\\n\\\\\\\"é\"", "a == 1e+300", "a == CAST(1.25e-10, \"date\")",
    "a IN {b OR c, NOT b}",
  ]

  @Test(arguments: canonical)
  func `canonical text is printed as it was`(text: String) throws {
    #expect(PredicatePrinter.text(try PredicateParser.parse(text)) == text)
  }

  @Test func `a list of one predicate is printed as that predicate`() {
    #expect(PredicatePrinter.text(.and([.attribute("a")])) == "a")
    #expect(PredicatePrinter.text(.not(.or([.and([.attribute("a")])]))) == "NOT a")
  }

  @Test func `the deepest tree allowed is read back`() throws {
    var tree = QueryExpression.attribute("a")
    for level in 1..<Limits.predicateDepth {
      tree =
        switch level % 4 {
        case 0: .not(tree)
        case 1: .comparison(.equal, .attribute("b"), tree)
        case 2: .negate(tree)
        default: .or([tree, .attribute("c")])
        }
    }
    #expect(try PredicateParser.parse(PredicatePrinter.text(tree)) == tree)
  }
}
