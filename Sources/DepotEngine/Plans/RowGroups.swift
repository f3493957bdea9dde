internal import DepotProtocol
internal import DepotSQLite

/// A subquery with the groups of a request's rows, whose columns are the keys and values.
///
/// Conditions on groups and their order are translated as if the groups were rows of an entity with
/// these names as attributes.
struct RowGroups {
  let columns: [Column]
  /// The subquery.
  let statement: Fragment
  /// A schema with the entity of the groups.
  let catalog: Catalog
  let isSlow: Bool

  static let entityName = "Group"

  struct Column {
    var name: String
    var type: AttributeType
    var value: Fragment
    /// The value by which rows are grouped, if that is another one.
    var identity: Fragment?
    /// Whether null means that the sum overflowed.
    var isSum = false

    /// The column in the subquery.
    var reference: Fragment { Fragment(sql: "t0.\"a_\(name)\"") }
  }

  init(_ request: AggregateRequest, in catalog: Catalog) throws(DepotError) {
    var query = try RowQuery(request, in: catalog)
    var columns: [Column] = []
    for (index, key) in request.keys.enumerated() {
      let column = try DepotError.at("/args/by/\(index)", try Self.column(key, &query.compiler))
      columns.append(column)
    }
    for (index, value) in request.values.enumerated() {
      let pointer = "/args/values/\(index)"
      columns.append(try DepotError.at(pointer, try Self.column(value, &query.compiler)))
    }
    try Self.check(columns.map(\.name))
    self.columns = columns
    isSlow = query.compiler.isSlow
    self.catalog = Self.catalog(of: columns)
    let selected = columns.map { $0.value + " AS \"a_\($0.name)\"" }
    var sql = "SELECT " + Fragment.list(selected) + query.clauses()
    if !request.keys.isEmpty {
      let keys = columns.prefix(request.keys.count).enumerated().map { index, column in
        column.identity ?? Fragment(sql: "\(index + 1)")
      }
      sql = sql + " GROUP BY " + .list(keys)
    }
    statement = sql
  }

  private static func column(
    _ key: AggregateRequest.Column,
    _ compiler: inout QueryCompiler
  ) throws(DepotError) -> Column {
    let operand = try compiler.operand(key.expression)
    guard operand.type?.isScalar ?? true else {
      throw DepotError(.usage, "Rows can't be grouped by this expression.")
        .hint("Group by a text, number, date, truth value, or identifier.")
    }
    return Column(
      name: key.name,
      type: operand.type ?? .string,
      value: operand.fragment,
      identity: operand.large?.identity
    )
  }

  private static func column(
    _ value: AggregateRequest.Value,
    _ compiler: inout QueryCompiler
  ) throws(DepotError) -> Column {
    guard let expression = value.expression else {
      guard value.aggregate == .count else {
        throw DepotError(.usage, "\(value.aggregate.rawValue) needs an expression.")
      }
      return Column(name: value.name, type: .int64, value: Fragment(sql: "count(*)"))
    }
    let operand = try compiler.operand(expression)
    if value.aggregate == .count {
      let count = "count(" + (operand.presence ?? operand.fragment) + ")"
      return Column(name: value.name, type: .int64, value: count)
    }
    let result = try compiler.about(expression) { (compiler) throws(DepotError) in
      try compiler.aggregated(value.aggregate, operand)
    }
    return Column(
      name: value.name,
      type: result.type ?? .string,
      value: result.fragment,
      isSum: value.aggregate == .sum
    )
  }

  /// Checks that the names can be attributes, and columns in SQL.
  private static func check(_ names: [String]) throws(DepotError) {
    var seen: Set<String> = []
    for name in names {
      let isPlain = name.utf8.allSatisfy { byte in
        byte == UInt8(ascii: ".") || byte == UInt8(ascii: "_") || byte == UInt8(ascii: "$")
          || 0x30...0x39 ~= byte || 0x41...0x5A ~= byte || 0x61...0x7A ~= byte || byte >= 0x80
      }
      guard isPlain, !name.isEmpty else {
        throw DepotError(.usage, "\"\(name)\" can't be the name of a column.")
          .hint("Use letters, digits, underscores, and periods.")
      }
      guard seen.insert(name).inserted else {
        throw DepotError(.usage, "There are two columns named \"\(name)\".")
          .hint("Give them different names.")
      }
    }
  }

  private static func catalog(of columns: [Column]) -> Catalog {
    let attributes = columns.map { Attribute(name: $0.name, type: $0.type, isOptional: true) }
    return Catalog(
      Schema(entities: [Entity(name: entityName, attributes: attributes)]),
      generation: 0
    )
  }
}
