internal import DepotProtocol
internal import DepotSQLite

/// Translates key paths into joins and columns.
extension QueryCompiler {
  /// Follows a key path from an object.
  mutating func follow(_ path: String, from object: QueryObject) throws(DepotError) -> QueryTerm {
    try KeyPathSyntax.checkLength(path)
    let steps = path.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
    return try follow(steps[...], from: object)
  }

  mutating func follow(
    _ steps: ArraySlice<String>,
    from object: QueryObject
  ) throws(DepotError) -> QueryTerm {
    guard let first = steps.first else { return .object(object) }
    let rest = steps.dropFirst()
    guard let relationship = object.layout.relationship(first) else {
      return try attribute(steps, of: object)
    }
    if relationship.relationship.isToMany {
      return .collection(.relationship(object, relationship, rest: rest))
    }
    let destination = try destination(of: relationship, from: object)
    return try follow(rest, from: destination)
  }

  /// Returns the destination of a to-one relationship.
  private mutating func destination(
    of relationship: RelationshipLayout,
    from object: QueryObject
  ) throws(DepotError) -> QueryObject {
    let layout = try catalog.layout(of: relationship.destination)
    let identifier: Fragment
    let rowSource: QueryObject.RowSource
    var presence: Fragment?
    switch relationship.storage {
    case .foreignColumn(let table, let column, _):
      let owner = object.identifier
      identifier =
        "(SELECT back.id FROM \(table) AS back WHERE back.\(column) = " + owner + ")"
      var parent: String?
      if case .alias(let alias) = object.rowSource { parent = alias }
      rowSource = .join(column: column, value: owner, isInner: false, parent: parent)
    case .column(let column):
      let alias = try alias(of: object)
      identifier = object.guarded(Fragment(sql: "\(alias).\(column)"))
      rowSource = .join(column: "id", value: identifier, isInner: false, parent: alias)
      if relationship.inverse?.deleteRule == .noAction {
        presence =
          "(SELECT there.id FROM \(layout.table) AS there WHERE there.id = " + identifier + ")"
      }
    case .join:
      throw DepotError(.bug, "\(relationship.name) isn't stored like a to-one relationship.")
    }
    return QueryObject(
      layout: layout,
      identifier: identifier,
      isNullable: true,
      presence: presence,
      scope: object.scope,
      rowSource: rowSource,
      source: subject
    )
  }

  /// Returns the alias of an object's row in its scope, after joining its table if needed.
  mutating func alias(of object: QueryObject) throws(DepotError) -> String {
    switch object.rowSource {
    case .alias(let alias):
      return alias
    case .join(let column, let value, let isInner, let parent):
      let table = object.layout.table
      if let alias = scopes[object.scope].alias(of: table, where: column, is: value) {
        return alias
      }
      try checkJoins(of: object.scope)
      let alias = nextAlias()
      scopes[object.scope].join(
        table,
        as: alias,
        where: column,
        is: value,
        isInner: isInner,
        parent: parent
      )
      return alias
    }
  }

  /// The most joined tables in a scope; SQLite's limit is 64.
  private static let joinLimit = 60

  /// Checks that one more table can be joined in a scope.
  func checkJoins(of scope: Int) throws(DepotError) {
    guard scopes[scope].joins.count < Self.joinLimit else {
      throw DepotError(.predicateTooLarge, "The query follows too many relationships.")
        .hint("At most \(Self.joinLimit) can be followed at once.")
    }
  }

  /// Returns the value of an attribute, which may be a part of composite ones.
  private mutating func attribute(
    _ steps: ArraySlice<String>,
    of object: QueryObject
  ) throws(DepotError) -> QueryTerm {
    let path = steps.joined(separator: ".")
    switch path {
    case "$id":
      return .operand(makeOperand(.int64, object.identifier, isNullable: object.isNullable))
    case "$version":
      let column = object.guarded(Fragment(sql: "\(try alias(of: object)).version"))
      return .operand(makeOperand(.int64, column, isNullable: object.isNullable))
    case "$entity": return .operand(try entityName(of: object))
    default: break
    }
    let layout = object.layout
    if let length = try length(steps, of: object) { return .operand(length) }
    guard let position = layout.position(of: path) else {
      if layout.fields.contains(where: { $0.path.hasPrefix(path + ".") }) {
        let isThere = object.isNullable ? object.identifier + " IS NOT NULL" : .true
        return .composite(Condition(isThere))
      }
      throw unknown(path, of: layout)
    }
    return try field(position, of: object)
  }

  /// Returns the length of a value stored outside its row, if the path requests that.
  private mutating func length(
    _ steps: ArraySlice<String>,
    of object: QueryObject
  ) throws(DepotError) -> Operand? {
    guard steps.last == KeyPathSyntax.length else { return nil }
    let path = steps.dropLast().joined(separator: ".")
    guard let position = object.layout.position(of: path) else { return nil }
    guard object.layout.fields[position].attribute.options.contains(.externalStorage),
      case .operand(let operand) = try field(position, of: object),
      let reference = operand.presence
    else {
      throw DepotError(.unknownAttribute, "\(object.layout.name).\(path) has no $length.")
        .hint("Only values in external storage have; length(…) counts those of others.")
    }
    return makeOperand(.int64, BlobTable.length(of: reference), isNullable: operand.isNullable)
  }

  private mutating func field(
    _ position: Int,
    of object: QueryObject
  ) throws(DepotError) -> QueryTerm {
    let field = object.layout.fields[position]
    let attribute = field.attribute
    let alias = try alias(of: object)
    var value = Fragment(sql: object.layout.sql(ofField: position, in: alias))
    if object.layout.storedPositions[position] == nil {
      // An ephemeral attribute isn't stored, so every row has the default value.
      value = .bound(StoredValue.encode(attribute.defaultValue ?? .null))
      if object.isNullable {
        value = "iif(" + object.identifier + " IS NULL, NULL, " + value + ")"
      }
    } else if !isNull(field, outside: object.layout) {
      value = object.guarded(value)
    }
    var operand = makeOperand(
      attribute.type,
      value,
      isNullable: attribute.isOptional || object.isNullable
    )
    if let place = object.layout.storedPositions[position] {
      operand.row = (object.scope, alias)
      operand.look(outside: object.layout, object.layout.stored[place])
      if operand.large != nil { largeCount += 1 }
    }
    if field.isPresence { return .composite(Condition(operand.fragment + " IS 1")) }
    guard let kind = attribute.collection else { return .operand(operand) }
    return .collection(.list(operand, attribute.type, kind))
  }

  /// Returns whether a field exists only in rows of an entity, so that it is null in others.
  private func isNull(_ field: Field, outside layout: EntityLayout) -> Bool {
    guard let owner = try? catalog.layout(of: field.owner) else { return false }
    return owner.numbers.keys.allSatisfy { layout.numbers[$0] != nil }
  }

  /// Returns the entity's name of an object's row.
  private mutating func entityName(of object: QueryObject) throws(DepotError) -> Operand {
    let layout = object.layout
    guard layout.isInHierarchy else {
      let name = Fragment.bound(.text(layout.name))
      let value =
        object.isNullable ? "iif(" + object.identifier + " IS NULL, NULL, " + name + ")" : name
      return makeOperand(.string, value, isNullable: object.isNullable)
    }
    let names = layout.numbers.sorted { $0.key < $1.key }
    let cases = names.map { "WHEN \($0.key) THEN '\($0.value)'" }.joined(separator: " ")
    let value = Fragment(sql: "CASE \(try alias(of: object)).kind \(cases) END")
    return makeOperand(.string, object.guarded(value), isNullable: true)
  }

  private func unknown(_ path: String, of layout: EntityLayout) -> DepotError {
    let steps = path.split(separator: ".").map(String.init)
    let isField = layout.fields.contains { $0.path == steps.first }
    if let first = steps.first, steps.count > 1, isField || KeyPathSyntax.system.contains(first) {
      return DepotError(.unknownAttribute, "\(layout.name).\(first) has no \"\(steps[1])\".")
        .hint("It is an attribute, so the path ends there.")
    }
    let error = catalog.schema.unknownPath(path, from: layout.entity)
    return error.details == nil ? error.details([:]) : error
  }
}

extension Operand {
  /// Reads the value of a column outside of the row, where it may be.
  fileprivate mutating func look(outside layout: EntityLayout, _ column: StoredColumn) {
    guard column.isExternal else { return }
    let (table, value) = (BlobTable(layout.root), fragment)
    let isText = column.externalType == .string
    presence = value
    fragment = table.start(of: value, isText: isText, limit: BlobTable.comparedBytes)
    large = table.large(column, value)
    let isReference = "typeof(" + value + ") = '\(column.referenceType)'"
    if column.isWidened { fragment = "iif(" + isReference + ", " + fragment + ", " + value + ")" }
    // A row has the length of a larger one, so that the others can still be read.
    let isLarge = isReference + " AND " + BlobTable.length(of: value) + " > \(Limits.valueBytes)"
    selection = "iif(" + isLarge + ", " + value + ", " + fragment + ")"
  }
}
