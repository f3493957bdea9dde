extension SaveRequest {
  init(_ reader: inout RequestReader) throws(DepotError) {
    self.init()
    try readChanges(&reader)
    onConflict = try InsertRequest.OnConflict(&reader)
    if let node = reader.optional("policy") { policy = try MergePolicy(node) }
    staged = try Staged(&reader)
    answersInRuns = try reader.bool("runs", default: false)
  }

  /// Reads the lists of rows.
  mutating func readChanges(_ reader: inout RequestReader) throws(DepotError) {
    for node in try reader.elements("insert") {
      var members = try JSONObjectReader(node)
      inserts.append(
        Insertion(
          entity: try members.string("entity"),
          columns: try Self.columns(&members),
          rows: try RowBatch(rows: members.required("rows"))
        )
      )
      try members.finish()
    }
    for node in try reader.elements("update") {
      var members = try JSONObjectReader(node)
      var change = Change(
        entity: try members.string("entity"),
        columns: try Self.columns(&members),
        rows: try RowBatch(rows: members.required("rows"))
      )
      guard change.columns.first == "$id" else {
        throw DepotError(.usage, "The first column of rows to change is \"$id\".").at(node.pointer)
      }
      if let base = members.optional("base") { change.base = try Base(base, of: change) }
      updates.append(change)
      try members.finish()
    }
    for node in try reader.elements("delete") {
      var members = try JSONObjectReader(node)
      let entity = try members.string("entity")
      let identifiers = try RequestReader.identifiers(members.required("ids"))
      let versions = try members.optional("versions")
        .map { node throws(DepotError) in try Self.versions(node, count: identifiers.count) }
      deletes.append(Deletion(entity: entity, identifiers: identifiers, versions: versions))
      try members.finish()
    }
    for node in try reader.elements("read") {
      var members = try JSONObjectReader(node)
      let entity = try members.string("entity")
      let identifiers = try RequestReader.identifiers(members.required("ids"))
      let versions = try Self.versions(members.required("versions"), count: identifiers.count)
      reads.append(ReadSet(entity: entity, identifiers: identifiers, versions: versions))
      try members.finish()
    }
    guard rowCount <= Limits.rows else { throw .tooManyRows(rowCount).at(reader.node.pointer) }
  }

  private static func versions(_ node: JSONNode, count: Int) throws(DepotError) -> [Int64] {
    let versions = try RequestReader.identifiers(node)
    guard versions.count == count else {
      throw DepotError(.usage, "There are \(versions.count) versions for \(count) identifiers.")
        .at(node.pointer)
    }
    return versions
  }

  fileprivate static func columns(_ members: inout JSONObjectReader) throws(DepotError) -> [String]
  {
    let node = try members.required("columns")
    var columns: [String] = []
    for element in try node.elements() {
      columns.append(NameSyntax.normalized(try element.string()))
    }
    guard Set(columns).count == columns.count else {
      throw DepotError(.usage, "A column is named twice.").at(node.pointer)
    }
    return columns
  }
}

extension SaveRequest.Base {
  /// Reads what rows had that are to change.
  fileprivate init(_ node: JSONNode, of change: SaveRequest.Change) throws(DepotError) {
    guard change.columns.contains("$version") else {
      throw DepotError(.usage, "\"base\" says what a version had, but there are no versions.")
        .hint("Add the column \"$version\" with the versions that were read.").at(node.pointer)
    }
    var members = try JSONObjectReader(node)
    self.init(
      columns: try SaveRequest.columns(&members),
      rows: try RowBatch(rows: members.required("rows"))
    )
    try members.finish()
    if let column = columns.first(where: { $0 == "$id" || $0 == "$version" }) {
      throw DepotError(.usage, "\"base\" has no \(column): the rows to change say it.")
        .at(node.pointer + "/columns")
    }
    guard rows.count == change.rows.count else {
      throw DepotError(.usage, "There are \(rows.count) base rows for \(change.rows.count) rows.")
        .hint("Give a row for each that is changed, in the same order.").at(node.pointer + "/rows")
    }
  }
}

extension MergePolicy {
  fileprivate init(_ node: JSONNode) throws(DepotError) {
    let name = try node.string()
    guard let policy = Self(rawValue: name) else {
      let names = Self.allCases.map(\.rawValue)
      throw DepotError(.usage, "There is no merge policy \(name.debugDescription).")
        .hint("There are \(names.joined(separator: ", ")).").at(node.pointer)
    }
    self = policy
  }
}
