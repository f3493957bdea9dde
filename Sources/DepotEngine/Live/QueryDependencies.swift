internal import DepotProtocol

/// The dependencies of a query's answer: columns of its rows, and of the rows that paths lead to.
struct QueryDependencies {
  /// The rows of the query, which are the first, and those that its paths lead to, each after the one
  /// that it is reached from.
  var nodes: [Node]
  /// The dependencies of the query's columns, in their order.
  var columns: [Column] = []
  /// The reads that decide which rows there are and how they are sorted.
  var membership = Reads()
  /// Whether the answer can change in ways that can't be told from the rows that changed.
  var isOpaque = false
  /// The identifiers that the rows must have, if the predicate names them.
  var identifiers: [Int64]?
  /// The value that the rows must have in a column, if the predicate names one.
  var key: RowKey?

  /// Rows that matter.
  struct Node {
    /// The entity whose table has them.
    var root: String
    /// The numbers of the entities that they are of.
    var numbers: Set<Int>
    /// The columns that matter, as places among the stored ones of the root's layout.
    var places = PlaceSet()
    /// Whether any change of a row matters.
    var readsEverything = false
    /// Whether the rows themselves come along with those of the query.
    var isPrefetched = false
    /// How they are reached; `nil` for the rows of the query.
    var link: Link?
  }

  /// How rows are reached from others.
  struct Link {
    /// Where the others are among the nodes.
    var parent: Int
    /// The table of the others.
    var parentTable: String
    /// The table of the rows.
    var table: String
    var storage: RelationshipLayout.Storage
    /// The place of the column that leads back, if it is the rows' own.
    var backPlace: Int?

    /// The table with the links, if there is one, as it is called where it is made known what changed.
    var joinTable: String? {
      guard case .join(let table, _, _, _) = storage else { return nil }
      return table.filter { $0 != "\"" }
    }
  }

  /// The changes that can concern the answer through a node.
  struct Sieve: Hashable {
    var numbers: Set<Int>
    /// The columns that matter; `nil` if any change does.
    var places: PlaceSet?

    func lets(_ change: RowChange) -> Bool {
      guard numbers.contains(change.entityNumber) else { return false }
      guard let places, change.kind == .update else { return true }
      return !change.places.isDisjoint(with: places)
    }
  }

  func sieve(_ node: Node) -> Sieve {
    Sieve(numbers: node.numbers, places: node.readsEverything || isOpaque ? nil : node.places)
  }

  /// The sources from which something is made.
  struct Reads: Hashable {
    /// The query's own columns.
    var places = PlaceSet()
    /// The other nodes.
    var nodes = PlaceSet()
    /// Whether the version is among it, which every change makes another one.
    var hasVersion = false

    /// Whether it may have changed.
    func isTouched(by touch: RowTouch) -> Bool {
      touch.isWhole || hasVersion || !places.isDisjoint(with: touch.places)
        || !nodes.isDisjoint(with: touch.nodes)
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
  func properties(touchedBy touch: RowTouch?) -> [String] {
    guard let touch, !touch.isWhole else { return columns.map(\.name) }
    return columns.filter { $0.reads.isTouched(by: touch) }.map(\.name)
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
