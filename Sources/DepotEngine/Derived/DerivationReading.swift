internal import DepotProtocol

/// Collects the dependencies of a derived attribute from its expression.
struct DerivationReading {
  private let catalog: Catalog
  private(set) var nodes: [Derivation.Node]
  private(set) var needs: Set<String> = []
  private var variables: [(name: String, node: Int?)] = []

  init(_ layout: EntityLayout, _ catalog: Catalog) {
    self.catalog = catalog
    nodes = [Derivation.Node(layout: layout)]
  }

  /// Reads a part of the expression; returns the node of its rows, if it is a path to rows.
  @discardableResult
  mutating func read(_ expression: QueryExpression) throws(DepotError) -> Int? {
    switch expression {
    case .value: return nil
    case .now:
      // `now` is the time of a change, so the value depends on every stored column of the row.
      for (place, column) in nodes[0].layout.stored.enumerated()
      where nodes[0].layout.field(at: place)?.attribute.derivation == nil {
        nodes[0].columns.insert(column.quoted)
      }
      return nil
    case .attribute(let path): return try follow(path, from: 0)
    case .variable(let name):
      return variables.last { $0.name == name }?.node ?? (name == "SELF" ? 0 : nil)
    case .member(let base, let path):
      guard let node = try read(base) else { return nil }
      return try follow(path, from: node)
    case .filtered(let collection, let name, let predicate),
      .quantified(_, let collection, let name, let predicate):
      let node = try read(collection)
      variables.append((name, node))
      defer { variables.removeLast() }
      try read(predicate)
      if case .filtered = expression { return node }
      return nil
    case .element(let collection, _), .slice(let collection, _):
      guard let node = try read(collection) else { return nil }
      var next: Int? = node
      while let index = next {
        nodes[index].usesOrder = true
        next = nodes[index].hop?.from
      }
      return node
    case .cast(let part, let entity):
      guard let node = try read(part) else { return nil }
      let layout = try catalog.layout(of: entity)
      nodes.append(nodes[node])
      nodes[nodes.count - 1].layout = layout
      nodes[nodes.count - 1].columns = []
      return nodes.count - 1
    case .search: throw refused("a full-text search")
    case .function(.rank, _): throw refused("the rank of a search")
    case .function(.random, _), .function(.randomn, _): throw refused("chance")
    case .conditional(let test, let first, let second):
      try read(test)
      return try choice([first, second])
    case .coalesce(let parts), .list(let parts): return try choice(parts)
    default:
      for part in expression.children { try read(part) }
      return nil
    }
  }

  private mutating func choice(_ parts: [QueryExpression]) throws(DepotError) -> Int? {
    var found: [Int] = []
    for part in parts {
      if let node = try read(part) { found.append(node) }
    }
    guard found.count < 2 else { throw refused("a choice between objects") }
    return found.first
  }

  private func refused(_ what: String) -> DepotError {
    DepotError(.invalidSchema, "It can't depend on \(what).")
      .hint("Compute that when you fetch.")
  }

  private mutating func follow(_ path: String, from start: Int) throws(DepotError) -> Int? {
    var node = start
    var rest = path.split(separator: ".").map(String.init)[...]
    while let first = rest.first {
      let layout = nodes[node].layout
      guard let relationship = layout.relationship(first) else {
        try note(rest.joined(separator: "."), node)
        return nil
      }
      node = try child(of: node, relationship)
      rest.removeFirst()
    }
    return node
  }

  private mutating func child(
    of node: Int,
    _ relationship: RelationshipLayout
  ) throws(DepotError) -> Int {
    if case .column(let column) = relationship.storage { nodes[node].columns.insert(column) }
    let known = nodes.firstIndex { other in
      guard let hop = other.hop else { return false }
      return hop.from == node && hop.1 == relationship
        && other.layout.name == relationship.destination
    }
    if let known { return known }
    let destination = try catalog.layout(of: relationship.destination)
    nodes.append(Derivation.Node(layout: destination, hop: (node, relationship)))
    return nodes.count - 1
  }

  private mutating func note(_ path: String, _ node: Int) throws(DepotError) {
    if path == "$version" { throw refused("versions") }
    let layout = nodes[node].layout
    let base = path.hasSuffix(".$length") ? String(path.dropLast(".$length".count)) : path
    for (position, field) in layout.fields.enumerated()
    where field.path == base || field.path.hasPrefix(base + ".") {
      guard let place = layout.storedPositions[position] else { continue }
      nodes[node].columns.insert(layout.stored[place].quoted)
      if field.attribute.derivation != nil { needs.insert("\(field.owner).\(field.path)") }
    }
  }
}
