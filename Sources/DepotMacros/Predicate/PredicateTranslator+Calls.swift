internal import SwiftSyntax

/// A function that predicates know.
private struct KnownFunction {
  /// The function of the builder, if it has another name.
  var builder: String?
  /// The labels of the arguments.
  var labels: [String?] = []
  /// The label of the argument after these that is a closure, `_` for none; `nil` if there is none.
  var closure: String?
  /// The property of the function's result that is meant; `nil` for the result itself.
  var property: String?
}

extension PredicateTranslator {
  private static let functions: [String: [KnownFunction]] = [
    "contains": [
      KnownFunction(labels: [nil]),
      KnownFunction(builder: "containsWhere", closure: "where"),
    ],
    "allSatisfy": [KnownFunction(closure: "_")],
    "filter": [KnownFunction(closure: "_")],
    "flatMap": [KnownFunction(closure: "_")],
    "map": [KnownFunction(closure: "_")],
    "first": [KnownFunction(builder: "filter", closure: "where", property: "first")],
    "count": [KnownFunction(builder: "filter", closure: "where", property: "count")],
    "min": [KnownFunction(builder: "least")],
    "max": [KnownFunction(builder: "greatest")],
    "starts": [KnownFunction(labels: ["with"])],
    "hasPrefix": [KnownFunction(builder: "starts", labels: [nil])],
    "hasSuffix": [KnownFunction(builder: "ends", labels: [nil])],
    "lowercased": [KnownFunction()],
    "uppercased": [KnownFunction()],
    "localizedStandardContains": [KnownFunction(labels: [nil])],
    "localizedCaseInsensitiveContains": [KnownFunction(labels: [nil])],
    "localizedCompare": [KnownFunction(labels: [nil])],
    "localizedStandardCompare": [KnownFunction(builder: "localizedCompare", labels: [nil])],
    "localizedCaseInsensitiveCompare": [KnownFunction(labels: [nil])],
    "caseInsensitiveCompare": [KnownFunction(labels: [nil])],
    "compare": [KnownFunction(labels: [nil])],
    "isMultiple": [KnownFunction(labels: ["of"])],
    "matches": [KnownFunction(builder: "search", labels: ["text"])],
  ]

  /// The advice for functions that predicates don't know.
  private static let hints = [
    "range": "Use contains(_:) to look for text.",
    "reduce": "Use contains, allSatisfy, filter, count, min, or max.",
    "forEach": "Use allSatisfy or contains.",
    "sorted": "Sort with the sortBy of the fetch descriptor.",
    "isDate": "Compare the date with the bounds of the range, which are made before the predicate.",
    "isDateInToday":
      "Compare the date with the bounds of the day, which are made before the predicate.",
    "addingTimeInterval": "Move the other side of the comparison by the same interval.",
    "trimmingCharacters":
      "Store the text trimmed, or test it with contains or a regular expression.",
    "formatted": "Compare the value itself.",
    "compactMap": "Use filter and map.",
  ]

  /// Returns the code that builds a call.
  mutating func function(_ call: FunctionCallExprSyntax) -> String {
    if let trailing = call.additionalTrailingClosures.first {
      return refuse(trailing, "a second trailing closure")
    }
    if let callee = call.calledExpression.as(DeclReferenceExprSyntax.self) {
      return global(callee.baseName.text, call)
    }
    guard let callee = call.calledExpression.as(MemberAccessExprSyntax.self),
      let base = callee.base
    else { return refuse(call.calledExpression, "this call") }
    let name = callee.declName.baseName.text
    if name == "evaluate", call.trailingClosure == nil {
      let arguments = call.arguments.map { node($0.expression) }.joined(separator: ", ")
      guard !isDependent(base) else { return refuse(base, "a predicate that a model has") }
      return Self.call("evaluate", base.trimmedDescription, arguments)
    }
    for known in Self.functions[name] ?? [] {
      guard let arguments = match(call, known) else { continue }
      let parts = [node(base)] + arguments
      let part = PartFunction.call(known.builder ?? name, parts)
      return known.property.map { Self.call("keyPath", part, "\\.\($0)") } ?? part
    }
    return refuse(
      callee.declName,
      "'\(Self.signature(name, call))'",
      hint: Self.hints[name]
        ?? (Self.functions[name] == nil
          ? "Compute it before the predicate, or store what it gives."
          : nil)
    )
  }

  private static func signature(_ name: String, _ call: FunctionCallExprSyntax) -> String {
    let labels = call.arguments.map { ($0.label?.text ?? "_") + ":" }
    return "\(name)(\((labels + (call.trailingClosure == nil ? [] : ["_:"])).joined()))"
  }

  /// Returns the arguments of a call if they fit a known function.
  private mutating func match(
    _ call: FunctionCallExprSyntax,
    _ known: KnownFunction
  ) -> [String]? {
    let arguments = Array(call.arguments)
    let closures = known.closure == nil ? 0 : 1
    guard
      arguments.count + (call.trailingClosure == nil ? 0 : 1) == known.labels.count + closures,
      zip(arguments, known.labels).allSatisfy({ $0.label?.text == $1 })
    else { return nil }
    guard let label = known.closure else {
      guard call.trailingClosure == nil else { return nil }
      return arguments.map { node($0.expression) }
    }
    if let trailing = call.trailingClosure {
      return arguments.map { node($0.expression) } + [closure(trailing)]
    }
    guard let last = arguments.last, (last.label?.text ?? "_") == label,
      let closure = predicateClosure(last.expression)
    else { return nil }
    return arguments.dropLast().map { node($0.expression) } + [closure]
  }

  /// Returns a closure argument, which may be a key path.
  private mutating func predicateClosure(_ expression: ExprSyntax) -> String? {
    if let closure = expression.as(ClosureExprSyntax.self) { return self.closure(closure) }
    guard let keyPath = expression.as(KeyPathExprSyntax.self) else { return nil }
    return closure { _, variable in
      Self.call("keyPath", variable, keyPath.trimmedDescription)
    }
  }

  /// Returns the code that builds a call of a global function or of an initializer.
  private mutating func global(_ name: String, _ call: FunctionCallExprSyntax) -> String {
    let arguments = Array(call.arguments)
    let nodes = { (inner: inout Self) in
      arguments.map { inner.node($0.expression) }.joined(separator: ", ")
    }
    let isPlain = call.trailingClosure == nil && arguments.allSatisfy { $0.label == nil }
    switch (name, arguments.count) {
    case ("abs", 1) where isPlain: return Self.call("abs", nodes(&self))
    case ("min", 2...) where isPlain: return Self.call("min", Self.call("list", nodes(&self)))
    case ("max", 2...) where isPlain: return Self.call("max", Self.call("list", nodes(&self)))
    case ("Double", 1) where isPlain: return Self.call("double", nodes(&self))
    case ("Int", 1) where isPlain: return Self.call("int", nodes(&self))
    case ("String", 1) where isPlain: return Self.call("text", nodes(&self))
    default:
      return refuse(
        call.calledExpression,
        "'\(Self.signature(name, call))'",
        hint: "Compute it before the predicate, or store what it gives."
      )
    }
  }
}
