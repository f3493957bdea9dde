/// A function or initializer that builds a part of a predicate.
struct PartFunction {
  private let name: String
  /// The labels of the arguments; none if empty.
  private var labels: [String] = []
  /// The argument before the others that says which operation it is.
  private var first: String?
  /// The argument behind the others that says which operation it is.
  private var last: String?

  /// Returns a call of a function.
  static func call(_ function: String, _ arguments: [String]) -> String {
    let function = all[function] ?? PartFunction(name: "SwiftData.PredicateBuilder.\(function)")
    let labels = function.labels + arguments.dropFirst(function.labels.count).map { _ in "" }
    let parts =
      [function.first].compactMap { $0 } + zip(labels, arguments).map { $0 + $1 }
      + [function.last].compactMap { $0 }
    return "\(function.name)(\(parts.joined(separator: ", ")))"
  }

  /// Foundation's own function.
  private static func build(_ name: String, _ labels: String...) -> PartFunction {
    PartFunction(name: "Foundation.PredicateExpressions.build_\(name)", labels: labels)
  }

  /// Foundation's own function of two sides.
  private static func sides(_ name: String, _ operation: String? = nil) -> PartFunction {
    var function = build(name, "lhs: ", "rhs: ")
    function.last = operation.map { "op: .\($0)" }
    return function
  }

  /// The initializer of a part that only this module has.
  private static func part(
    _ name: String,
    _ kind: String? = nil,
    last: String? = nil
  ) -> PartFunction {
    PartFunction(name: "SwiftData.\(name)", first: kind, last: last)
  }

  /// The functions that aren't the builder's, by the names that the translation has for them.
  private static let all: [String: PartFunction] = [
    "abs": part("Magnitude"),
    "allSatisfy": build("allSatisfy"),
    "and": sides("Conjunction"),
    "caseInsensitiveCompare": part("TextComparison", ".caseInsensitive"),
    "closedRange": build("ClosedRange", "lower: ", "upper: "),
    "compare": part("TextComparison", ".plain"),
    "concatenate": part("Concatenation"),
    "conditional": build("Conditional"),
    "contains": build("contains"),
    "containsWhere": build("contains", "", "where: "),
    "divide": sides("Division"),
    "element": build("subscript"),
    "ends": part("TextTest", ".ends"),
    "equal": sides("Equal"),
    "filter": build("filter"),
    "flatMap": build("flatMap"),
    "greater": sides("Comparison", "greaterThan"),
    "greaterOrEqual": sides("Comparison", "greaterThanOrEqual"),
    "greatest": build("max"),
    "keyPath": build("KeyPath", "root: ", "keyPath: "),
    "least": build("min"),
    "less": sides("Comparison", "lessThan"),
    "lessOrEqual": sides("Comparison", "lessThanOrEqual"),
    "localizedCaseInsensitiveCompare": part("TextComparison", ".localizedCaseInsensitive"),
    "localizedCaseInsensitiveContains": part("TextTest", ".containsInAnyCase"),
    "localizedCompare": part("TextComparison", ".localized"),
    "localizedStandardContains": part("TextTest", ".containsLocalized"),
    "lowercased": part("LetterCase", last: "isUpper: false"),
    "multiply": sides("Arithmetic", "multiply"),
    "negative": build("UnaryMinus"),
    "not": build("Negation"),
    "notEqual": sides("NotEqual"),
    "or": sides("Disjunction"),
    "range": build("Range", "lower: ", "upper: "),
    "remainder": sides("Remainder"),
    "starts": build("starts", "", "with: "),
    "subtract": sides("Arithmetic", "subtract"),
    "unwrap": build("ForcedUnwrap"),
    "uppercased": part("LetterCase", last: "isUpper: true"),
  ]
}
