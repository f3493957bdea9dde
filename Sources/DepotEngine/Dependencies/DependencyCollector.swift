internal import DepotProtocol

/// Collects the dependencies of a query from its expressions.
struct DependencyCollector {
  private let catalog: Catalog
  let layout: EntityLayout
  var dependencies: QueryDependencies
  /// The nodes found so far, by their parent and relationship.
  private var children: [LinkKey: Int] = [:]
  private var variables: [(name: String, objects: [Object])] = []
  /// The reads since the last ``takeReads()``.
  private var reads = QueryDependencies.Reads()

  private struct LinkKey: Hashable {
    var parent: Int
    var storage: RelationshipLayout.Storage
  }

  /// The rows of a part of a query.
  private struct Object {
    var node: Int
    var layout: EntityLayout
    /// The relationship from the node to the rows, if only their identifiers are read so far.
    var pending: RelationshipLayout?

    fileprivate var key: ObjectKey {
      ObjectKey(node: node, entity: layout.name, relationship: pending?.name)
    }
  }

  private struct ObjectKey: Hashable {
    var node: Int
    var entity: String
    var relationship: String?
  }

  init(_ request: some RowRequest, in catalog: Catalog) throws(DepotError) {
    self.catalog = catalog
    layout = try catalog.layout(of: request.entity)
    let numbers = request.includesSubentities ? Set(layout.numbers.keys) : [layout.number]
    dependencies = QueryDependencies(
      nodes: [QueryDependencies.Node(root: layout.root, numbers: numbers)]
    )
  }

  private var row: Object { Object(node: 0, layout: layout) }

  /// Returns the reads since the last call, and resets them.
  mutating func takeReads() -> QueryDependencies.Reads {
    defer { reads = QueryDependencies.Reads() }
    return reads
  }

  // MARK: - Columns

  /// Adds the selected columns; all if `nil`.
  mutating func addColumns(_ select: [String]?) {
    // The version is in every row, but only a query for all columns is updated for a new version.
    if select == nil { dependencies.nodes[0].readsEverything = true }
    for path in select ?? layout.fields.map(\.path) {
      reads = QueryDependencies.Reads()
      follow(path, from: row)
      dependencies.columns.append(QueryDependencies.Column(name: path, reads: takeReads()))
    }
  }

  /// Adds prefetched rows.
  mutating func prefetch(_ path: String) {
    reads = QueryDependencies.Reads()
    var objects = [row]
    for step in path.split(separator: ".") {
      objects = objects.flatMap { follow(String(step), from: $0) }.map { settled($0) }
      for object in objects {
        dependencies.nodes[object.node].readsEverything = true
        dependencies.nodes[object.node].isPrefetched = true
      }
    }
    dependencies.columns.append(QueryDependencies.Column(name: path, reads: takeReads()))
  }

  // MARK: - Expressions

  /// Adds the reads of an expression.
  mutating func visit(_ expression: QueryExpression) { _ = objects(expression) }

  /// Adds the reads of an expression, and returns its rows or those of its elements.
  private mutating func objects(_ expression: QueryExpression) -> [Object] {
    switch expression {
    case .value:
      return []
    case .now:
      dependencies.isOpaque = true
      return []
    case .attribute(let path):
      return follow(path, from: row)
    case .variable(let name):
      return variables.last { $0.name == name }?.objects ?? (name == "SELF" ? [row] : [])
    case .member(let base, let path):
      return objects(base).flatMap { follow(path, from: $0) }
    case .search(let paths, _):
      search(paths)
      return []
    case .cast(let part, let entity):
      return objects(part).map { object in
        var object = object
        if let layout = try? catalog.layout(of: entity) { object.layout = layout }
        return object
      }
    case .is(let part, _):
      for object in objects(part) { _ = settled(object) }
      return []
    case .conditional(let test, let first, let second):
      visit(test)
      return distinct(objects(first) + objects(second))
    case .coalesce(let parts), .list(let parts):
      return distinct(parts.flatMap { objects($0) })
    case .quantified(_, let collection, let name, let predicate):
      _ = elements(of: collection, name, predicate)
      return []
    case .filtered(let collection, let name, let predicate):
      return elements(of: collection, name, predicate)
    case .element(let collection, _), .slice(let collection, _):
      return objects(collection)
    case .function(let function, let arguments):
      if [.random, .randomn, .rank].contains(function) { dependencies.isOpaque = true }
      for argument in arguments { visit(argument) }
      return []
    default:
      for part in expression.children { visit(part) }
      return []
    }
  }

  /// Returns objects without duplicates, which nested lists would multiply.
  private func distinct(_ objects: [Object]) -> [Object] {
    var keys: Set<ObjectKey> = []
    return objects.filter { keys.insert($0.key).inserted }
  }

  private mutating func elements(
    of collection: QueryExpression,
    _ name: String,
    _ predicate: QueryExpression
  ) -> [Object] {
    let elements = objects(collection)
    variables.append((name, elements))
    visit(predicate)
    variables.removeLast()
    return elements
  }

  private mutating func search(_ paths: [String]) {
    let objects = variables.last?.objects ?? [row]
    for object in objects {
      if paths.isEmpty { return readSearched(of: object) }
      for path in paths {
        for end in follow(path, from: object) { readSearched(of: end) }
      }
    }
  }

  private mutating func readSearched(of object: Object) {
    for column in catalog.searchColumns(of: object.layout) { follow(column.path, from: object) }
  }

  // MARK: - Paths

  /// Follows a path, and returns the rows at its end, unless that is an attribute.
  @discardableResult
  private mutating func follow(_ path: String, from object: Object) -> [Object] {
    var steps = path.split(separator: ".", omittingEmptySubsequences: false).map(String.init)[...]
    var object = object
    while let first = steps.first, let relationship = object.layout.relationship(first) {
      guard let next = step(relationship, from: object) else { return [] }
      object = next
      steps.removeFirst()
    }
    guard !steps.isEmpty else { return [object] }
    read(Array(steps), of: settled(object))
    return []
  }

  private mutating func step(_ relationship: RelationshipLayout, from object: Object) -> Object? {
    guard let destination = try? catalog.layout(of: relationship.destination) else { return nil }
    let object = settled(object)
    if case .column(let column) = relationship.storage {
      readColumn(column, of: object.node)
      return Object(node: object.node, layout: destination, pending: relationship)
    }
    return settled(Object(node: object.node, layout: destination, pending: relationship))
  }

  /// Returns an object with its own node, because more than its identifier is read.
  private mutating func settled(_ object: Object) -> Object {
    guard let relationship = object.pending else { return object }
    let key = LinkKey(parent: object.node, storage: relationship.storage)
    var result = Object(node: children[key] ?? dependencies.nodes.count, layout: object.layout)
    if children[key] == nil, !addNode(key, relationship) { result.node = object.node }
    reads.nodes.insert(result.node)
    return result
  }

  private mutating func addNode(_ key: LinkKey, _ relationship: RelationshipLayout) -> Bool {
    guard let destination = try? catalog.layout(of: relationship.destination),
      let parent = try? catalog.layout(of: dependencies.nodes[key.parent].root)
    else { return false }
    var node = QueryDependencies.Node(
      root: destination.root,
      numbers: Set(destination.numbers.keys)
    )
    var origin = QueryDependencies.NodeOrigin(
      parent: key.parent,
      parentTable: parent.table,
      table: destination.table,
      storage: key.storage
    )
    if case .foreignColumn(_, let column, let order) = key.storage {
      origin.backColumn = catalog.rootPlace(of: column, in: destination.root)
      for name in [column, order].compactMap(\.self) {
        if let place = catalog.rootPlace(of: name, in: destination.root) {
          node.columns.insert(place)
        }
      }
    }
    node.origin = origin
    children[key] = dependencies.nodes.count
    dependencies.nodes.append(node)
    return true
  }

  private mutating func readColumn(_ quoted: String, of node: Int) {
    guard let place = catalog.rootPlace(of: quoted, in: dependencies.nodes[node].root) else {
      return
    }
    dependencies.nodes[node].columns.insert(place)
    if node == 0 { reads.columns.insert(place) }
  }

  /// Adds the reads of the attribute at the end of a path.
  private mutating func read(_ steps: [String], of object: Object) {
    let layout = object.layout
    var path = steps.joined(separator: ".")
    if path == "$version" {
      dependencies.nodes[object.node].readsEverything = true
      reads.hasVersion = true
    }
    if steps.last == KeyPathSyntax.length { path = steps.dropLast().joined(separator: ".") }
    for (position, field) in layout.fields.enumerated() {
      let isMeant =
        field.path == path || field.path.hasPrefix(path + ".")
        || field.isPresence && path.hasPrefix(field.path + ".")
      guard isMeant, let place = layout.storedPositions[position] else { continue }
      readColumn(layout.stored[place].quoted, of: object.node)
    }
    // It may be a column of subentities with a qualified name, for example.
    if layout.position(of: path) == nil, !path.hasPrefix("$"),
      !layout.fields.contains(where: { $0.path.hasPrefix(path + ".") })
    {
      dependencies.nodes[object.node].readsEverything = true
    }
  }
}
