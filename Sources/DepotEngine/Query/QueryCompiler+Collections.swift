internal import DepotProtocol
internal import DepotSQLite

/// Translates collections into subqueries.
extension QueryCompiler {
  /// Begins a subquery for the elements of a collection; ``close(_:_:and:)`` ends it.
  mutating func open(_ expression: QueryExpression) throws(DepotError) -> OpenCollection {
    try about(expression) { (compiler) throws(DepotError) in
      guard case .collection(let collection) = try compiler.term(expression) else {
        throw compiler.invalid("This is one value, not a collection.")
      }
      return try compiler.open(collection)
    }
  }

  mutating func open(_ collection: QueryCollection) throws(DepotError) -> OpenCollection {
    switch collection {
    case .relationship(let owner, let relationship, let rest):
      let opened = try open(relationship, of: owner)
      return try extend(opened, rest)
    case .list(let operand, let type, let kind):
      return open(
        "depot_each(" + operand.fragment + ", \(type.functionCode))",
        type,
        isOrdered: kind == .array,
        isNullable: false
      )
    case .constants(let values):
      let (type, packed) = try constants(values)
      return open(
        "depot_each(" + .bound(packed) + ", 0)",
        type,
        isOrdered: true,
        isNullable: values.contains(.null)
      )
    case .expression(.filtered(let collection, let name, let predicate)):
      let opened = try open(collection)
      let condition = try with(name, opened.element) { (compiler) throws(DepotError) in
        try compiler.require(predicate)
        return try compiler.condition(predicate, isFilter: true)
      }
      scopes[scopes.count - 1].conditions.append(condition.fragment)
      return opened
    case .expression(.list(let parts)):
      return try open(parts)
    case .expression(.slice(let collection, let range)):
      return try slice(collection, range)
    case .expression(.member(let collection, let path)):
      let opened = try open(collection)
      let steps = path.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
      return try extend(opened, steps[...])
    case .expression(let other):
      throw invalid("This is no collection.", in: other)
    }
  }

  /// Calls `body` with a variable defined as a term.
  mutating func with<Result>(
    _ name: String,
    _ term: QueryTerm,
    _ body: (inout QueryCompiler) throws(DepotError) -> Result
  ) throws(DepotError) -> Result {
    variables.append((name, term))
    defer { variables.removeLast() }
    return try body(&self)
  }

  /// Opens a table function.
  private mutating func open(
    _ call: Fragment,
    _ type: AttributeType?,
    isOrdered: Bool,
    isNullable: Bool
  ) -> OpenCollection {
    let alias = nextAlias()
    scopes.append(QueryScope(from: call + " AS \(alias)"))
    return OpenCollection(
      element: .operand(makeOperand(type, Fragment(sql: "\(alias).value"), isNullable: isNullable)),
      order: isOrdered ? [Fragment(sql: "\(alias).position")] : nil
    )
  }

  /// Opens a collection of the values of expressions.
  private mutating func open(_ parts: [QueryExpression]) throws(DepotError) -> OpenCollection {
    let same = try alike(parts)
    let alias = nextAlias()
    // The first row names the columns; VALUES can have any number of rows.
    var select =
      "SELECT " + (same.fragments.first ?? Fragment(sql: "NULL")) + " AS value, 0 AS position"
    if same.fragments.isEmpty { select = select + " WHERE 0" }
    if same.fragments.count > 1 {
      let rows = same.fragments.enumerated().dropFirst().map { "(" + $1 + ", \($0))" }
      select = select + " UNION ALL VALUES " + .list(rows)
    }
    scopes.append(QueryScope(from: select.parenthesized + " AS \(alias)"))
    let value = Fragment(sql: "\(alias).value")
    return OpenCollection(
      element: makeTerm(same.layout, same.type, value, isNullable: same.isNullable),
      order: [Fragment(sql: "\(alias).position")]
    )
  }

  /// Returns the common type of constants, and the blob to bind for them.
  private func constants(_ values: [Value]) throws(DepotError) -> (AttributeType?, SQLiteValue) {
    var type: AttributeType?
    for case let next? in values.map(\.type) where next != type {
      switch (type, next) {
      case (nil, _), (.int64, .double), (.int64, .decimal): type = next
      case (.double, .int64), (.decimal, .int64): break
      default: throw invalid("The elements of the list are of different types.")
      }
    }
    let stored = try values.map { value throws(DepotError) in
      guard let type, !value.isNull else { return SQLiteValue.null }
      guard let converted = value.converted(to: type) else {
        // An integer that no double equals stays an integer; SQLite compares them exactly.
        return StoredValue.encode(value)
      }
      return StoredValue.encode(converted)
    }
    return (type, .list(stored))
  }

  private mutating func open(
    _ relationship: RelationshipLayout,
    of owner: QueryObject
  ) throws(DepotError) -> OpenCollection {
    let alias = nextAlias()
    let rows = try rows(of: relationship, as: alias, scope: scopes.count)
    scopes.append(QueryScope(from: Fragment(sql: "\(rows.table) AS \(alias)")))
    return OpenCollection(
      element: .object(rows.element),
      order: rows.order,
      link: OpenCollection.OwnerJoin(
        owner: owner.identifier,
        near: Fragment(sql: "\(alias).\(rows.near)")
      )
    )
  }

  private struct LinkedRows {
    var table: String
    /// The column with the identifier of the owner.
    var near: String
    var element: QueryObject
    var order: [Fragment]?
  }

  /// Returns the table and columns of a to-many relationship.
  private func rows(
    of relationship: RelationshipLayout,
    as alias: String,
    scope: Int
  ) throws(DepotError) -> LinkedRows {
    let (table, near, far, order): (String, String, String, String?)
    switch relationship.storage {
    case .foreignColumn(let foreign, let column, let rowSource):
      (table, near, far, order) = (foreign, column, "id", rowSource)
    case .join(let join, let nearColumn, let farColumn, let rowSource):
      (table, near, far, order) = (join, nearColumn, farColumn, rowSource)
    case .column:
      throw DepotError(.bug, "\(relationship.name) isn't stored like a to-many relationship.")
    }
    var element = QueryObject(
      try catalog.layout(of: relationship.destination),
      identifiedBy: Fragment(sql: "\(alias).\(far)"),
      isNullable: false,
      scope: scope,
      source: subject
    )
    if case .foreignColumn = relationship.storage { element.rowSource = .alias(alias) }
    return LinkedRows(
      table: table,
      near: near,
      element: element,
      order: order.map { [Fragment(sql: "\(alias).\($0)"), element.identifier] }
    )
  }

  /// Follows a path from each element of an open collection.
  private mutating func extend(
    _ opened: OpenCollection,
    _ steps: ArraySlice<String>
  ) throws(DepotError) -> OpenCollection {
    guard !steps.isEmpty else { return opened }
    guard case .object(let object) = opened.element else {
      throw invalid("A path can't go on after a value.")
    }
    var opened = opened
    let next = try follow(steps, from: object)
    let innermost = scopes.count - 1
    switch next {
    case .operand, .object:
      opened.element = next
      return opened
    case .collection(.relationship(let owner, let relationship, let rest)):
      let alias = nextAlias()
      let rows = try rows(of: relationship, as: alias, scope: innermost)
      try checkJoins(of: innermost)
      let clause = "\(rows.table) AS \(alias) ON \(alias).\(rows.near) = " + owner.identifier
      scopes[innermost].join(clause, as: alias)
      opened.element = .object(rows.element)
      opened.order = opened.order.flatMap { order in rows.order.map { order + $0 } }
      return try extend(opened, rest)
    case .collection(.list(let operand, let type, let kind)):
      let alias = nextAlias()
      let call = "depot_each(" + operand.fragment + ", \(type.functionCode))"
      scopes[innermost].join(call + " AS \(alias)", as: alias)
      let value = Fragment(sql: "\(alias).value")
      opened.element = .operand(makeOperand(type, value, isNullable: false))
      opened.order =
        kind == .array ? opened.order.map { $0 + [Fragment(sql: "\(alias).position")] } : nil
      return opened
    default:
      throw invalid("The path ends at a composite value, not at a part of it.")
    }
  }

  /// Ends the innermost subquery with the selected columns and an additional condition.
  mutating func close(
    _ opened: OpenCollection,
    _ columns: Fragment,
    and condition: Fragment? = nil
  ) -> Fragment {
    var scope = scopes.removeLast()
    if let link = opened.link {
      scope.conditions.insert(link.near + " = " + link.owner, at: 0)
    }
    return "SELECT " + columns + scope.clauses(and: condition)
  }

  /// Makes a collection from some elements of another one.
  private mutating func slice(
    _ collection: QueryExpression,
    _ range: Range<Int>
  ) throws(DepotError) -> OpenCollection {
    guard range.lowerBound >= 0 else {
      throw invalid("A slice begins at position 0 or later.")
    }
    let opened = try open(collection)
    guard let order = opened.order, let operand = opened.operand else { throw unordered() }
    var columns = operand.fragment + " AS value"
    for (index, part) in order.enumerated() { columns = columns + ", " + part + " AS o\(index)" }
    let names = order.indices.map { "o\($0)" }.joined(separator: ", ")
    let select =
      close(opened, columns) + " ORDER BY \(names) LIMIT \(range.count) OFFSET \(range.lowerBound)"
    let alias = nextAlias()
    scopes.append(QueryScope(from: select.parenthesized + " AS \(alias)"))
    var result = opened
    result.link = nil
    result.order = order.indices.map { Fragment(sql: "\(alias).o\($0)") }
    result.element = makeTerm(
      opened.layout,
      operand.type,
      Fragment(sql: "\(alias).value"),
      isNullable: operand.isNullable
    )
    return result
  }

  /// Translates the element at an index.
  mutating func element(
    _ collection: QueryExpression,
    _ position: Int
  ) throws(DepotError) -> QueryTerm {
    let opened = try open(collection)
    guard let order = opened.order, let operand = opened.operand else { throw unordered() }
    let isFromEnd = position < 0
    let keys = order.map { isFromEnd ? $0 + " DESC" : $0 }
    let offset = isFromEnd ? -(position + 1) : position
    let select =
      close(opened, operand.fragment) + " ORDER BY " + .list(keys) + " LIMIT 1 OFFSET \(offset)"
    return makeTerm(opened.layout, operand.type, select.parenthesized, isNullable: true)
  }

  private func unordered() -> DepotError {
    invalid("The collection has no order.")
      .hint("Only arrays and ordered relationships have positions.")
  }
}
