/// The values of named variables, such as `$minimum` in `price > $minimum`.
///
/// They also count the nodes of the expressions that share them.
package struct VariableBindings: Sendable {
  private let values: [String: Value]
  private var used: Set<String> = []
  /// The number of nodes in the expressions.
  private var nodes = 0
  /// The number of constants in their lists.
  var listed = 0

  /// Creates bindings of names without `$`; the value of a list is a ``Value/list(_:)``.
  package init(_ values: [String: Value] = [:]) {
    self.values = values
  }

  /// Returns the value of `name`, and marks it as used; `nil` if there is none.
  mutating func use(_ name: String) -> Value? {
    guard let value = values[name] else { return nil }
    used.insert(name)
    return value
  }

  /// Counts the nodes of an expression.
  ///
  /// - Throws: ``DepotError`` `limit.predicate` if there are too many.
  mutating func count(nodes: Int) throws(DepotError) {
    self.nodes += nodes
    guard self.nodes <= Limits.requestNodes else {
      throw DepotError(
        .predicateTooLarge,
        "The expressions of the request have over \(Limits.requestNodes) parts."
      )
    }
  }

  /// A hint about a variable without a value.
  func advice(for name: String) -> String {
    Spelling.hint(for: name, in: values.keys.sorted()) { "$\($0)" }
      ?? "Give it one in \"bind\", or name the element of a collection so: SUBQUERY(items, $\(name), …)."
  }

  /// - Throws: ``DepotError`` `request.usage` if a value was never used.
  package func finish() throws(DepotError) {
    let unused = values.keys.filter { !used.contains($0) }.sorted()
    guard let name = unused.first else { return }
    throw DepotError(.usage, "The variable $\(name) is bound but doesn't occur.")
      .hint(values.count > 1 ? nil : "Write $\(name) in the text, or leave the value out.")
  }
}
