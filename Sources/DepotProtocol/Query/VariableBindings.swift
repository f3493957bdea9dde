/// The values of variables that are bound by name, as `$minimum` in `price > $minimum`.
package struct VariableBindings: Sendable {
  private let values: [String: Value]
  private var used: Set<String> = []

  /// Creates bindings of names without `$`; the value of a list is a ``Value/list(_:)``.
  package init(_ values: [String: Value] = [:]) {
    self.values = values
  }

  /// Returns the value of `name`, which is then used, or `nil` if there is none.
  mutating func use(_ name: String) -> Value? {
    guard let value = values[name] else { return nil }
    used.insert(name)
    return value
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
