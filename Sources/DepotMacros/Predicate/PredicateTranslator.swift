internal import SwiftDiagnostics
internal import SwiftSyntax

/// The translation of a closure over models into calls that build a predicate.
///
/// The calls are Foundation's functions for parts of predicates, and functions of
/// `SwiftData.PredicateBuilder` where Foundation lacks them.
///
/// Parts that don't depend on the closure's parameters stay as they are and are computed when the
/// predicate is made. Each clause becomes a constant of its own, so that the compiler looks at one
/// small expression after the other and never at all of them at once.
struct PredicateTranslator {
  /// The name of the macro's subject, for messages.
  let subject: String
  /// The errors in the closure.
  var diagnostics: [Diagnostic] = []
  /// The statements of the closure being written.
  var lines: [String] = []
  /// Whether one of ``lines`` declares something by a name of the user's.
  var declaresNames = false
  /// The parts of the predicate, by the user's names.
  var names: [String: String] = [:]
  /// The replacements of the beginnings of optional chains.
  var replaced: [SyntaxIdentifier: String] = [:]
  private var count = 0

  init(subject: String) {
    self.subject = subject
  }

  /// The translation of a part of the closure.
  enum Term {
    /// Something that doesn't depend on the parameters.
    case constant(ExprSyntax)
    /// A text that builds a part of the predicate.
    case node(String)
  }

  /// Returns a call of a function that builds a part.
  static func call(_ function: String, _ arguments: String...) -> String {
    PartFunction.call(function, arguments)
  }

  /// Returns a name that the user hasn't used.
  mutating func newName() -> String {
    count += 1
    return "__p\(count)"
  }

  /// Declares a constant for a part, and returns its name.
  mutating func declare(_ text: String) -> String {
    if text.hasPrefix("__p"), !text.contains("(") { return text }
    let name = newName()
    lines.append("let \(name) = \(text)")
    return name
  }

  /// Returns the code that builds a part.
  mutating func node(_ expression: ExprSyntax) -> String {
    switch term(expression) {
    case .constant(let expression): Self.constant(expression)
    case .node(let text): text
    }
  }

  /// Returns the name of a constant, declared with the code that builds a condition.
  mutating func clause(_ expression: ExprSyntax) -> String {
    declare(node(expression))
  }

  /// Returns the code that builds a constant.
  static func constant(_ expression: some ExprSyntaxProtocol) -> String {
    call("arg", expression.trimmedDescription)
  }

  /// Returns the translation of a part.
  mutating func term(_ expression: ExprSyntax) -> Term {
    if let text = replaced[expression.id] { return .node(text) }
    guard isDependent(expression) else {
      guard MayTrap.check(expression) else { return .constant(expression) }
      // It may be guarded by another clause, so it must not be computed at once.
      var trial = self
      let translated = trial.structure(of: expression)
      guard trial.diagnostics.count == diagnostics.count else { return .constant(expression) }
      self = trial
      return translated
    }
    return structure(of: expression)
  }

  /// Whether a part depends on the parameters.
  func isDependent(_ node: some SyntaxProtocol) -> Bool {
    let finder = DependenceFinder(names: names, replaced: replaced)
    finder.walk(node)
    return finder.isFound
  }

  /// Runs a translation whose statements and names are its own.
  mutating func scoped(
    _ translate: (inout PredicateTranslator) -> String
  ) -> (lines: [String], declaresNames: Bool, result: String) {
    var inner = self
    (inner.lines, inner.declaresNames) = ([], false)
    let result = translate(&inner)
    (diagnostics, count) = (inner.diagnostics, inner.count)
    return (inner.lines, inner.declaresNames, result)
  }

  /// Returns a closure that builds the parts that another closure describes.
  mutating func closure(_ closure: ClosureExprSyntax) -> String {
    let parameters = parameters(of: closure)
    let variables = parameters.map { _ in newName() }
    let (lines, _, result) = scoped { inner in
      for name in inner.names.keys where name.hasPrefix("$") { inner.names[name] = nil }
      for (parameter, variable) in zip(parameters, variables) { inner.names[parameter] = variable }
      return inner.body(Array(closure.statements), of: closure)
    }
    let list = variables.isEmpty ? "_" : variables.joined(separator: ", ")
    return Self.closure(list, lines, result)
  }

  /// Returns a closure of one parameter whose body is translated by `translate`.
  mutating func closure(
    _ translate: (inout PredicateTranslator, _ variable: String) -> String
  ) -> String {
    let variable = newName()
    let (lines, _, result) = scoped { translate(&$0, variable) }
    return Self.closure(variable, lines, result)
  }

  private static func closure(_ parameters: String, _ lines: [String], _ result: String) -> String {
    lines.isEmpty
      ? "{ \(parameters) in \(result) }"
      : "{ \(parameters) in\n\(lines.joined(separator: "\n"))\nreturn \(result)\n}"
  }

  private mutating func parameters(of closure: ClosureExprSyntax) -> [String] {
    switch closure.signature?.parameterClause {
    case .simpleInput(let list)?: return list.map(\.name.text)
    case .parameterClause(let clause)?:
      return clause.parameters.map { ($0.secondName ?? $0.firstName).text }
    default:
      let finder = ShorthandFinder(viewMode: .sourceAccurate)
      finder.walk(closure.statements)
      return (0...finder.greatest).map { "$\($0)" }
    }
  }
}
