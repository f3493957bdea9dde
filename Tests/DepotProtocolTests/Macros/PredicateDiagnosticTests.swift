import SwiftDiagnostics
import SwiftOperators
import SwiftParser
import SwiftSyntax
import SwiftSyntaxMacroExpansion
import Testing

@testable import DepotMacros

@Suite struct PredicateDiagnosticTests {
  /// A closure, what is said about it, and at which of its characters.
  struct Case: Sendable, CustomTestStringConvertible {
    let closure: String
    let messages: [String]
    var place: String?

    var testDescription: String { closure }
  }

  static let cases: [Case] = [
    Case(
      closure: "{ $0.name.shuffled() == $0.name }",
      messages: [
        "A predicate can't use 'shuffled()'. Compute it before the predicate, or store what it gives."
      ],
      place: "shuffled"
    ),
    Case(
      closure: "{ $0.items.sorted { $0 < $1 }.isEmpty && $0.items.reduce(0, f) == 1 }",
      messages: [
        "A predicate can't use 'sorted(_:)'. Sort with the sortBy of the fetch descriptor.",
        "A predicate can't use 'reduce(_:_:)'. Use contains, allSatisfy, filter, count, min, or max.",
      ],
      place: "sorted"
    ),
    Case(
      closure: "{ $0.a === other }",
      messages: ["A predicate can't use '==='. → Replace '===' with '=='"],
      place: "==="
    ),
    Case(
      closure: "{ $0.a = 3 }",
      messages: ["A predicate can't use '='. → Replace '=' with '=='"],
      place: "="
    ),
    Case(
      closure: "{ trip in var days = trip.days; return days > 1 }",
      messages: ["A predicate can't use a variable. → Replace 'var' with 'let'"],
      place: "var"
    ),
    Case(
      closure: "{ trip in for stop in trip.stops { return true }; return false }",
      messages: [
        "A predicate can't use this statement. It can use let, if, guard, switch, and return."
      ],
      place: "for"
    ),
    Case(
      closure: "{ trip in if trip.done { return true } }",
      messages: [
        "A predicate can't use a path without a result. Return something on each path."
      ]
    ),
    Case(
      closure: "{ ($0.a, $0.b) == (1, 2) }",
      messages: ["A predicate can't use a tuple."],
      place: "("
    ),
    Case(
      closure: "{ $0.a << 2 == 4 }",
      messages: ["A predicate can't use the operator '<<'."],
      place: "<<"
    ),
    Case(
      closure: "{ calendar.isDateInToday($0.start) }",
      messages: [
        "A predicate can't use 'isDateInToday(_:)'. Compare the date with the bounds of the day, "
          + "which are made before the predicate."
      ],
      place: "isDateInToday"
    ),
  ]

  @Test(arguments: cases)
  func `what a predicate can't use is told where it is`(test: Case) throws {
    let diagnostics = try #require(Self.diagnostics(test.closure))
    let messages = diagnostics.map { diagnostic in
      ([diagnostic.message] + diagnostic.fixIts.map { "→ \($0.message.message)" })
        .joined(separator: " ")
    }
    #expect(messages == test.messages)
    guard let place = test.place, let first = diagnostics.first else { return }
    #expect(first.node.trimmedDescription.hasPrefix(place))
  }

  @Test(arguments: [
    "{ $0.day == captured.list.sorted().first && $0.day < Date.now.addingTimeInterval(60) }",
    "{ trip in let limit = f(3); return trip.days < limit }",
    "{ $0.kind == .high || $0.kind == Kind.low }",
    "{ $0.name == \"\\(prefix)-\\(3)\" }",
  ])
  func `what doesn't depend on the model may be anything`(closure: String) {
    #expect(Self.diagnostics(closure) == nil)
  }

  /// Returns what is said about a predicate's closure; `nil` if it is fine.
  private static func diagnostics(_ closure: String) -> [Diagnostic]? {
    let source = Parser.parse(source: "#Predicate<Trip> \(closure)")
    let folded = OperatorTable.standardOperators.foldAll(source) { _ in }
    let expression = folded.as(SourceFileSyntax.self)?.statements.first?.item
    guard let node = expression?.as(MacroExpansionExprSyntax.self) else { return [] }
    do {
      _ = try PredicateMacro.expansion(of: node, in: BasicMacroExpansionContext())
      return nil
    } catch {
      return (error as? DiagnosticsError)?.diagnostics ?? []
    }
  }
}
