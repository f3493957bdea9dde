internal import DepotProtocol
internal import DepotSQLite

/// The plan of a stream of rows: its statement, and the form of its rows.
struct StreamPlan {
  var statement: ReadStatement
  let form: StreamForm
}

/// The form of the rows of a stream; an object, since the plans of many calls share it.
final class StreamForm: Sendable {
  let writing: RowWriting
  /// The names of the columns, if requested.
  let names: [String]?
  /// The names as the member of a frame.
  let columns: [UInt8]?
  /// The most rows of a frame.
  let batch: Int?
  /// The entity of the rows, for messages.
  let entity: String
  /// The prefetched relationships.
  let prefetch: [PrefetchNode]
  /// Reads the key of the row's section as an array of one element.
  ///
  /// It isn't among the row's values.
  let section: RowWriting?
  /// The further values to keep of each row, for a watched query.
  let liveKeys: LiveEntry.Keys?

  init(
    _ writing: RowWriting,
    names: [String]?,
    batch: Int?,
    entity: String,
    prefetch: [PrefetchNode] = [],
    section: RowWriting? = nil,
    liveKeys: LiveEntry.Keys? = nil
  ) {
    self.writing = writing
    self.names = names
    columns = names.map(ReplyWriter.columns)
    self.batch = batch
    self.entity = entity
    self.prefetch = prefetch
    self.section = section
    self.liveKeys = liveKeys
  }
}

extension StreamPlan {
  init(_ request: FetchRequest, in catalog: Catalog) throws(DepotError) {
    var query = try RowQuery(request, in: catalog)
    let shape = try RowShape(
      query.layout,
      select: request.select,
      includesSubentityColumns: request.includesSubentityColumns,
      isDistinct: request.isDistinct,
      in: &query.compiler
    )
    var selection = shape.selection
    let sort = try Self.sort(request)
    var section: RowWriting?
    if let path = request.sectionBy {
      let (key, column) = try Self.section(path, shape, &query.compiler)
      selection = selection + ", " + key
      section = RowWriting(columns: [column])
    }
    var order = try RowOrder(sort, isByIdentifier: !request.isDistinct, in: &query.compiler)
    if request.isDistinct {
      try Self.checkDistinct(request, sort, shape)
      order.append(
        shape.columns.map { shape.large[$0.index]?.key ?? Fragment(sql: "\($0.index + 1)") }
      )
    }
    // References to equal values differ, so that rows with large values are grouped.
    let groups = request.isDistinct && !shape.large.isEmpty ? Self.groups(shape) : nil
    let isPlain = !request.isDistinct || groups != nil
    let select = (isPlain ? "SELECT " : "SELECT DISTINCT ") + selection
    var parts: [Fragment] = []
    let places = try request.after.map { after throws(DepotError) in
      try order.position(after: after).conditions.map(Optional.some)
    }
    for place in places ?? [nil] {
      let rows = select + query.clauses(and: place) + (groups ?? Fragment(sql: ""))
      parts.append(rows + " ORDER BY " + order.sql)
    }
    statement = try ReadStatement(Self.cut(parts, request), isSlow: query.compiler.isSlow)
    form = StreamForm(
      RowWriting(shape),
      names: request.namesColumns ? shape.names : nil,
      batch: request.batch,
      entity: request.entity,
      prefetch: try PrefetchNode.tree(request, from: shape, in: catalog),
      section: section
    )
  }

  /// Returns the clause that makes one row of those with equal values.
  private static func groups(_ shape: RowShape) -> Fragment {
    " GROUP BY "
      + .list(
        (0..<shape.selectionCount).map { index in
          shape.large[index]?.identity ?? Fragment(sql: "\(index + 1)")
        }
      )
  }

  /// Returns the concatenated rows of queries, with the request's limit.
  private static func cut(_ parts: [Fragment], _ request: FetchRequest) -> Fragment {
    var result = parts[0]
    if parts.count > 1 {
      // A subquery keeps its order only with a limit.
      let limited = parts.map { "SELECT * FROM (" + $0 + " LIMIT -1)" }
      result = limited.dropFirst().reduce(limited[0]) { $0 + " UNION ALL " + $1 }
    }
    return result.cut(request.limit, offset: request.offset)
  }

  /// The sort keys, starting with the section's key if there is one.
  private static func sort(_ request: FetchRequest) throws(DepotError) -> [SortKey] {
    guard let path = request.sectionBy else { return request.sort }
    guard let first = request.sort.first else { return [SortKey(path)] }
    guard first.expression == .attribute(path) else {
      throw DepotError(.usage, "Rows in sections by \(path) must be sorted by it first.")
        .hint("Make it the first sort key, or leave the sort keys out.").at("/args/sectionBy")
    }
    return request.sort
  }

  private static func section(
    _ path: String,
    _ shape: RowShape,
    _ compiler: inout QueryCompiler
  ) throws(DepotError) -> (Fragment, RowColumn) {
    let operand = try DepotError.at("/args/sectionBy", try compiler.operand(.attribute(path)))
    return (
      operand.large?.key ?? operand.fragment,
      RowColumn(name: path, form: .scalar(operand.type ?? .string), index: shape.selectionCount)
    )
  }

  /// Checks the sort keys and paths of distinct rows.
  ///
  /// Distinct rows have only their selected values, so they can't be sorted by other values or have
  /// prefetched relationships.
  private static func checkDistinct(
    _ request: FetchRequest,
    _ sort: [SortKey],
    _ shape: RowShape
  ) throws(DepotError) {
    let names = Set(shape.columns.map(\.name))
    for (index, key) in sort.enumerated() {
      if case .attribute(let path) = key.expression, names.contains(path) { continue }
      throw DepotError(.usage, "Distinct rows can be sorted only by selected columns.")
        .hint("Select it too.").at("/args/sort/\(index)")
    }
    guard request.prefetch.isEmpty else {
      throw DepotError(.usage, "Distinct rows have no relationships to prefetch.")
        .at("/args/prefetch")
    }
    if shape.columns.isEmpty {
      throw DepotError(.usage, "Distinct rows need at least one selected attribute.")
        .at("/args/select")
    }
  }
}
