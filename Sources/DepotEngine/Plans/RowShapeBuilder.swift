internal import DepotProtocol
internal import DepotSQLite

/// Collects the columns of a ``RowShape``.
struct RowShapeBuilder {
  private let layout: EntityLayout
  /// The columns of descendants, if they are requested.
  private let subentityColumns: [SubentityColumn]
  private(set) var columns: [RowColumn] = []
  /// The selected expressions.
  private(set) var parts: [Fragment] = []
  /// The forms of values that may be large, by the indexes of the parts.
  private(set) var large: [Int: LargeValue] = [:]

  init(_ layout: EntityLayout, includesSubentityColumns: Bool, in catalog: Catalog) {
    self.layout = layout
    subentityColumns =
      includesSubentityColumns ? Self.subentityColumns(of: layout.name, catalog) : []
  }

  /// The paths of all columns of the entity's rows.
  var allPaths: [String] { layout.fields.map(\.path) }

  /// Adds the identifier and the version, and the entity if requested.
  mutating func addIdentity(withEntity isAsked: Bool) throws(DepotError) {
    parts += [Fragment(sql: "t0.id"), Fragment(sql: "t0.version")]
    guard isAsked else { return }
    if layout.isInHierarchy {
      try add("$entity", .entity, Fragment(sql: "t0.\(StorageMap.kindColumn)"))
    } else {
      try add("$entity", .scalar(.string), .bound(.text(layout.name)))
    }
  }

  /// Adds all columns of the entity's rows, in the schema's order.
  mutating func addEverything(_ compiler: inout QueryCompiler) throws(DepotError) {
    try addIdentity(withEntity: layout.numbers.count > 1)
    for (position, field) in layout.fields.enumerated() {
      if layout.storedPositions[position] != nil {
        let value = Fragment(sql: layout.sql(ofField: position, in: "t0"))
        try add(field.path, RowColumn.Form(field.attribute), value)
      } else {
        try add(leaf: field.path, &compiler)
      }
    }
    for column in subentityColumns { try addStored(column) }
  }

  /// Adds the length of a value outside the row; returns whether the path may have one.
  mutating func addLength(_ path: String) throws(DepotError) -> Bool {
    guard let position = layout.position(of: path), let place = layout.storedPositions[position],
      layout.stored[place].isExternal
    else { return false }
    let value = Fragment(sql: layout.sql(ofField: position, in: "t0"))
    try add(path, RowColumn.Form(layout.fields[position].attribute), value)
    return true
  }

  /// Adds the columns for a path; a composite becomes its parts, unless `isAlone`.
  mutating func add(
    _ path: String,
    isAlone: Bool = false,
    isDistinct: Bool,
    _ compiler: inout QueryCompiler
  ) throws(DepotError) {
    if !isDistinct, path == "$id" || path == "$version" {
      throw DepotError(.usage, "\"\(path)\" can't be selected.")
        .hint("Every row begins with $id and $version.")
    }
    if layout.position(of: path) == nil,
      var column = subentityColumns.first(where: { [$0.name, $0.qualifiedName].contains(path) })
    {
      column.name = path
      return try addStored(column)
    }
    let leaves = isAlone ? [path] : try leaves(of: path, compiler.catalog)
    for leaf in leaves { try add(leaf: leaf, &compiler) }
  }

  private mutating func add(
    leaf path: String,
    _ compiler: inout QueryCompiler
  ) throws(DepotError) {
    switch try compiler.term(.attribute(path)) {
    case .operand(let operand):
      let type = operand.type ?? .string
      large[parts.count] = operand.large
      try add(path, type == .json ? .json : .scalar(type), operand.selection ?? operand.fragment)
    case .object(let object):
      try add(path, .scalar(.int64), object.identifier)
    case .collection(.list(let operand, let type, _)):
      try add(path, .list(type), operand.fragment)
    case .collection(.relationship(let object, let relationship, let rest)) where rest.isEmpty:
      try add(path, .identifiers, relationship.identifierList(of: object.identifier))
    case .composite(let presence):
      try add(path, .scalar(.bool), presence.strict)
    case .collection:
      throw DepotError(.usage, "\"\(path)\" leads to many values and can't be selected.")
        .hint("Select the relationship for its identifiers, or prefetch it.")
    }
  }

  /// Returns the paths with columns: the parts of a composite, or else the path itself.
  private func leaves(of path: String, _ catalog: Catalog) throws(DepotError) -> [String] {
    var entity = layout
    var rest = path.split(separator: ".", omittingEmptySubsequences: false)[...]
    while let first = rest.first, let relationship = entity.relationship(String(first)),
      !relationship.relationship.isToMany
    {
      entity = try catalog.layout(of: relationship.destination)
      rest.removeFirst()
    }
    let end = rest.joined(separator: ".")
    guard !end.isEmpty else { return [path] }
    let parts = entity.fields.map(\.path).filter { $0.hasPrefix(end + ".") }
    guard !parts.isEmpty else { return [path] }
    let prefix = path.dropLast(end.count)
    return (entity.position(of: end) == nil ? [] : [path]) + parts.map { prefix + $0 }
  }

  // MARK: - Descendants

  private struct SubentityColumn {
    var name: String
    /// The path with the entity's name, which is unique even if several entities have the path.
    let qualifiedName: String
    var field: Field
    var layout: EntityLayout
    var position: Int
  }

  /// The columns of descendants, in the schema's order.
  ///
  /// Each is named by its path, or by `Entity.path` if several have the same path.
  private static func subentityColumns(
    of name: String,
    _ catalog: Catalog
  ) -> [SubentityColumn] {
    var result: [SubentityColumn] = []
    for entity in catalog.schema.descendants(of: name) {
      guard let subentity = try? catalog.layout(of: entity.name) else { continue }
      for (position, field) in subentity.fields.enumerated() where field.owner == entity.name {
        result.append(
          SubentityColumn(
            name: field.path,
            qualifiedName: "\(entity.name).\(field.path)",
            field: field,
            layout: subentity,
            position: position
          )
        )
      }
    }
    let paths = Dictionary(grouping: result.indices) { result[$0].name }
    for indices in paths.values where indices.count > 1 {
      for index in indices { result[index].name = result[index].qualifiedName }
    }
    return result
  }

  private mutating func addStored(_ column: SubentityColumn) throws(DepotError) {
    let subentity = column.layout
    let form = RowColumn.Form(column.field.attribute)
    let value: Fragment
    if subentity.storedPositions[column.position] == nil, column.field.relationship == nil {
      // An ephemeral attribute isn't stored, so it always has its default.
      let kinds = subentity.numbers.keys.sorted().map(String.init).joined(separator: ", ")
      let standard = StoredValue.encode(column.field.attribute.defaultValue ?? .null)
      value = "iif(t0.\(StorageMap.kindColumn) IN (\(kinds)), " + .bound(standard) + ", NULL)"
    } else {
      value = Fragment(sql: subentity.sql(ofField: column.position, in: "t0"))
      if let place = subentity.storedPositions[column.position] {
        large[parts.count] = BlobTable(layout.root).large(subentity.stored[place], value)
      }
    }
    try add(column.name, form, value)
  }

  // MARK: - Appending

  private mutating func add(
    _ name: String,
    _ form: RowColumn.Form,
    _ value: Fragment
  ) throws(DepotError) {
    guard parts.count < Limits.columns else {
      throw DepotError(.predicateTooLarge, "The rows have over \(Limits.columns) columns.")
        .hint("Select fewer of them.")
    }
    columns.append(RowColumn(name: name, form: form, index: parts.count))
    parts.append(value)
  }
}

extension RelationshipLayout {
  /// The SQL for the identifiers of a to-many relationship's destinations.
  ///
  /// They are in order and separated by commas; it is NULL if there are none.
  func identifierList(of identifier: Fragment) -> Fragment {
    let rows: Fragment
    switch storage {
    case .column(let column):
      return Fragment(sql: column)
    case .foreignColumn(let table, let column, let order):
      let keys = ["m.\(column)"] + (order.map { ["m.\($0)"] } ?? []) + ["m.id"]
      rows =
        "SELECT m.id FROM \(table) AS m WHERE m.\(column) = " + identifier
        + " ORDER BY \(keys.joined(separator: ", "))"
    case .join(let table, let near, let far, let order):
      let keys = (order.map { ["m.\($0)"] } ?? []) + ["m.\(far)"]
      rows =
        "SELECT m.\(far) AS id FROM \(table) AS m WHERE m.\(near) = " + identifier
        + " ORDER BY \(keys.joined(separator: ", "))"
    }
    // The order is kept: SQLite doesn't merge an ordered query into an aggregate.
    return "(SELECT group_concat(id) FROM (" + rows + "))"
  }
}
