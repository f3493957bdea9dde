internal import DepotProtocol
internal import DepotSQLite

/// A prefetched relationship, whose rows are sent together with the rows that refer to them.
struct PrefetchNode: Sendable {
  /// The path from the rows of the request.
  let path: String
  /// Whether the links must be sent too, since the source rows have no column for the relationship.
  let hasLinks: Bool
  let entity: String
  let names: [String]?
  let writing: RowWriting
  /// Selects the position of the source row in the list of identifiers, the order, and the row.
  ///
  /// The last parameter is the list of identifiers.
  let statement: ReadStatement
  /// The prefetched relationships of its rows.
  var children: [PrefetchNode] = []

  /// The number of columns before those of the rows.
  static let rowOffset = 2
}

extension PrefetchNode {
  /// Returns the prefetched paths as trees of relationships.
  static func tree(
    _ request: some ColumnRequest,
    from shape: RowShape,
    in catalog: Catalog
  ) throws(DepotError) -> [PrefetchNode] {
    if request.prefetch.isEmpty { return [] }
    for path in request.prefetch { try KeyPathSyntax.checkLength(path) }
    let steps = request.prefetch.enumerated().map { index, path in
      let names = path.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
      return PrefetchBuilder.Step(steps: names[...], index: index)
    }
    let selected = Set(shape.columns.map(\.name))
    var builder = PrefetchBuilder(
      catalog: catalog,
      namesColumns: request.namesColumns,
      includesSubentityColumns: request.includesSubentityColumns
    )
    return try builder.nodes(steps, "", from: shape.layout) { selected.contains($0) }
  }
}

/// Builds the trees from the prefetched paths.
private struct PrefetchBuilder {
  let catalog: Catalog
  let namesColumns: Bool
  let includesSubentityColumns: Bool
  var count = 0

  struct Step {
    var steps: ArraySlice<String>
    var index: Int
  }

  /// Returns the first relationships of the paths, with their following ones.
  ///
  /// `isSelected` returns whether rows have a column for a relationship.
  mutating func nodes(
    _ steps: [Step],
    _ prefix: String,
    from layout: EntityLayout,
    isSelected: (String) -> Bool
  ) throws(DepotError) -> [PrefetchNode] {
    var names: [String] = []
    var groups: [String: [Step]] = [:]
    for step in steps {
      guard let name = step.steps.first else { continue }
      if groups[name] == nil { names.append(name) }
      groups[name, default: []].append(step)
    }
    var result: [PrefetchNode] = []
    for name in names {
      guard let group = groups[name], let first = group.first else { continue }
      count += 1
      guard count <= Limits.prefetches else {
        throw DepotError(
          .predicateTooLarge,
          "Over \(Limits.prefetches) relationships are prefetched."
        )
        .at("/args/prefetch/\(first.index)")
      }
      guard let relationship = layout.relationship(name) else {
        throw unknown(name, layout).at("/args/prefetch/\(first.index)")
      }
      let hasColumn = !relationship.relationship.isToMany && isSelected(name)
      var node = try node(prefix + name, relationship, from: layout, hasLinks: !hasColumn)
      let rest = group.map { Step(steps: $0.steps.dropFirst(), index: $0.index) }
      let destination = try catalog.layout(of: relationship.destination)
      node.children = try nodes(rest, prefix + name + ".", from: destination) { _ in true }
      result.append(node)
    }
    return result
  }

  private func node(
    _ path: String,
    _ relationship: RelationshipLayout,
    from source: EntityLayout,
    hasLinks: Bool
  ) throws(DepotError) -> PrefetchNode {
    var query = try RowQuery(relationship.destination, in: catalog)
    let shape = try RowShape(
      query.layout,
      includesSubentityColumns: includesSubentityColumns,
      in: &query.compiler
    )
    let table = query.layout.table
    let (order, link): (String?, String) =
      switch relationship.storage {
      case .column(let column):
        (
          nil,
          "CROSS JOIN \(source.table) AS l ON l.id = s.value "
            + "CROSS JOIN \(table) AS t0 ON t0.id = l.\(column)"
        )
      case .foreignColumn(_, let column, let order):
        (order.map { "t0.\($0)" }, "CROSS JOIN \(table) AS t0 ON t0.\(column) = s.value")
      case .join(let join, let near, let far, let order):
        (
          order.map { "l.\($0)" },
          "CROSS JOIN \(join) AS l ON l.\(near) = s.value "
            + "CROSS JOIN \(table) AS t0 ON t0.id = l.\(far)"
        )
      }
    // The order of the joins is fixed (`CROSS JOIN`), since SQLite overestimates a list of some
    // hundred identifiers as a large table.
    let select = "SELECT s.key, \(order ?? "0"), " + shape.selection
    return PrefetchNode(
      path: path,
      hasLinks: hasLinks,
      entity: relationship.destination,
      names: namesColumns ? shape.names : nil,
      writing: RowWriting(shape),
      statement: try ReadStatement(select + " FROM json_each(?) AS s " + link)
    )
  }

  private func unknown(_ name: String, _ layout: EntityLayout) -> DepotError {
    let names = layout.relationships.map(\.name)
    let hint =
      Spelling.nearest(to: name, in: names).map { "Did you mean \"\($0)\"?" }
      ?? (names.isEmpty
        ? "\(layout.name) has no relationships."
        : "Its relationships are \(names.joined(separator: ", ")).")
    guard layout.position(of: name) == nil else {
      return DepotError(.usage, "\(layout.name).\(name) isn't a relationship.").hint(hint)
    }
    return DepotError(.unknownAttribute, "\(layout.name) has no relationship \"\(name)\".")
      .hint(hint)
  }
}
