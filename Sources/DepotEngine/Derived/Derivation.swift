internal import DepotProtocol

/// A derived attribute, with the rows and columns that its value depends on.
struct Derivation {
  /// The name of the attribute in the table of marks: `Entity.path`.
  let key: String
  let layout: EntityLayout
  let attribute: Attribute
  /// The index of its field.
  let position: Int
  /// The index of its stored column.
  let place: Int
  let expression: QueryExpression
  /// The rows that it depends on; the first node is its own row.
  let nodes: [Node]
  /// The derived attributes that it depends on, by their keys.
  let needs: Set<String>

  /// The rows at the end of a path.
  struct Node {
    var layout: EntityLayout
    /// The relationship to them from another node; `nil` for the first node.
    var hop: (from: Int, RelationshipLayout)?
    /// The quoted columns that the value depends on.
    var columns: Set<String> = []
    /// Whether the value depends on the order of the rows.
    var usesOrder = false
  }

  init(_ field: Field, of layout: EntityLayout, in catalog: Catalog) throws(DepotError) {
    key = "\(layout.name).\(field.path)"
    self.layout = layout
    attribute = field.attribute
    guard let position = layout.position(of: field.path),
      let place = layout.storedPositions[position]
    else { throw DepotError(.bug, "\(key) has no column.") }
    (self.position, self.place) = (position, place)
    expression = try PredicateParser.parseExpression(field.attribute.derivation ?? "")
    var reading = DerivationReading(layout, catalog)
    try reading.read(expression)
    nodes = reading.nodes
    needs = reading.needs
  }
}

extension Catalog {
  /// Returns the derived attributes, each after those it depends on.
  func derivations() throws(DepotError) -> [Derivation] {
    var waiting: [Derivation] = []
    for layout in allLayouts {
      for field in layout.fields
      where field.owner == layout.name && field.attribute.derivation != nil {
        do {
          waiting.append(try Derivation(field, of: layout, in: self))
        } catch {
          throw error.inDerivation("\(layout.name).\(field.path)")
        }
      }
    }
    var result: [Derivation] = []
    var done: Set<String> = []
    while !waiting.isEmpty {
      guard let index = waiting.firstIndex(where: { done.isSuperset(of: $0.needs) }) else {
        let names = waiting.map(\.key).joined(separator: ", ")
        throw DepotError(
          .invalidSchema,
          "Derived attributes are computed from each other: \(names)."
        )
        .hint("Compute each from attributes that aren't, in the end, computed from it.")
      }
      let next = waiting.remove(at: index)
      done.insert(next.key)
      result.append(next)
    }
    return result
  }
}

extension DepotError {
  /// Returns the error of a derivation in the form of a schema error.
  func inDerivation(_ name: String) -> DepotError {
    guard code != .bug else { return self }
    var error = DepotError(.invalidSchema, "\(name) can't be derived: \(message)")
    error.hint = hint
    error.details = details
    return error
  }
}
