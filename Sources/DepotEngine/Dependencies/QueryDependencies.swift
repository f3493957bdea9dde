internal import DepotProtocol

/// The dependencies of a query's answer: columns of its rows, and of rows at the end of paths.
struct QueryDependencies {
  /// The rows of the query, as the first node, and the rows of its paths, each after its parent.
  var nodes: [Node]
  /// The dependencies of the query's columns, in their order.
  var columns: [Column] = []
  /// The reads that decide which rows are in the answer, and their order.
  var membership = Reads()
  /// Whether the answer may change in ways that changed rows don't reveal.
  var isOpaque = false
  /// The identifiers that the predicate requires, if it names them.
  var identifiers: [Int64]?
  /// The value that the predicate requires in a column, if it names one.
  var key: RowKey?

  /// A set of rows that the answer depends on.
  struct Node {
    /// The root entity, whose table has the rows.
    var root: String
    /// The numbers of the rows' entities.
    var numbers: Set<Int>
    /// The relevant columns, as indexes among the root's stored columns.
    var columns = ColumnSet()
    /// Whether any change of a row is relevant.
    var readsEverything = false
    /// Whether the rows themselves are sent together with the query's rows.
    var isPrefetched = false
    /// The link from the parent's rows; `nil` for the rows of the query.
    var origin: NodeOrigin?
  }

  /// The link from rows of a parent node to rows of a node.
  struct NodeOrigin {
    /// The index of the parent node.
    var parent: Int
    /// The table of the parent's rows.
    var parentTable: String
    /// The table of the rows.
    var table: String
    var storage: RelationshipLayout.Storage
    /// The index of the column with the parent's identifier, if it is in the rows' own table.
    var backColumn: Int?

    /// The join table of the link, if there is one, by its name in published changes.
    var joinTable: String? {
      guard case .join(let table, _, _, _) = storage else { return nil }
      return table.filter { $0 != "\"" }
    }
  }

  /// A filter for the changes that may affect the answer through a node.
  struct ColumnFilter: Hashable {
    var numbers: Set<Int>
    /// The relevant columns; `nil` if any change is relevant.
    var columns: ColumnSet?

    func lets(_ change: RowChange) -> Bool {
      guard numbers.contains(change.entityNumber) else { return false }
      guard let columns, change.kind == .update else { return true }
      return !change.columns.isDisjoint(with: columns)
    }
  }

  func columnFilter(_ node: Node) -> ColumnFilter {
    ColumnFilter(
      numbers: node.numbers,
      columns: node.readsEverything || isOpaque ? nil : node.columns
    )
  }

  /// The columns and nodes that a value depends on.
  struct Reads: Hashable {
    /// The query's own columns.
    var columns = ColumnSet()
    /// The other nodes.
    var nodes = ColumnSet()
    /// Whether it depends on the version, which every change increases.
    var hasVersion = false

    /// Whether a change may affect it.
    func isAffected(by summary: RowChangeSummary) -> Bool {
      summary.isWhole || hasVersion || !columns.isDisjoint(with: summary.columns)
        || !nodes.isDisjoint(with: summary.nodes)
    }
  }

  /// A column of the answer.
  struct Column {
    var name: String
    var reads: Reads
  }
}

extension QueryDependencies {
  private init(
    reading request: some RowRequest,
    in catalog: Catalog,
    _ visit: (inout DependencyCollector) -> Void = { _ in }
  ) throws(DepotError) {
    var collector = try DependencyCollector(request, in: catalog)
    if let predicate = request.predicate { collector.visit(predicate) }
    visit(&collector)
    self = collector.dependencies
    identifiers = request.predicate?.wantedIdentifiers
    if !isOpaque { key = RowKey(request.predicate, collector.layout, in: catalog) }
  }

  init(_ request: FetchRequest, in catalog: Catalog) throws(DepotError) {
    try self.init(reading: request, in: catalog) { collector in
      for key in request.sort { collector.visit(key.expression) }
      collector.dependencies.membership = collector.takeReads()
      collector.addColumns(request.select)
      for path in request.prefetch { collector.prefetch(path) }
    }
  }

  init(_ request: CountRequest, in catalog: Catalog) throws(DepotError) {
    try self.init(reading: request, in: catalog)
  }

  init(_ request: AggregateRequest, in catalog: Catalog) throws(DepotError) {
    try self.init(reading: request, in: catalog) { collector in
      for key in request.keys { collector.visit(key.expression) }
      for part in request.values.compactMap(\.expression) { collector.visit(part) }
    }
  }

  /// Returns the names of the columns that may have changed in a row.
  func properties(changedBy summary: RowChangeSummary?) -> [String] {
    guard let summary, !summary.isWhole else { return columns.map(\.name) }
    return columns.filter { $0.reads.isAffected(by: summary) }.map(\.name)
  }
}

extension QueryExpression {
  /// The identifiers that rows must have to satisfy the predicate, if it names them.
  var wantedIdentifiers: [Int64]? {
    switch self {
    case .and(let parts):
      return parts.lazy.compactMap(\.wantedIdentifiers).first
    case .comparison(.equal, let part, .value(.int64(let value)), _) where part.isIdentifier,
      .comparison(.equal, .value(.int64(let value)), let part, _) where part.isIdentifier:
      return [value]
    case .in(let part, let list, _) where part.isIdentifier:
      var result: [Int64] = []
      for element in list {
        guard case .value(.int64(let value)) = element else { return nil }
        result.append(value)
      }
      return result
    default:
      return nil
    }
  }

  /// Whether the expression is the identifier of the row itself.
  private var isIdentifier: Bool {
    self == .attribute("$id") || self == .variable("SELF")
      || self == .member(.variable("SELF"), "$id")
  }
}
