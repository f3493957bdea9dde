internal import DepotProtocol
internal import DepotSQLite

/// Makes the save that undoes a transaction.
extension UndoPlan {
  private static func name(_ key: Inverse.Key) -> String { "#\(key.root)/\(key.identifier)" }

  /// The temporary identifiers of the rows to insert again, with their own identifiers.
  var temporaries: [String: Int64] {
    Dictionary(uniqueKeysWithValues: recreated.keys.map { (Self.name($0), $0.identifier) })
  }

  /// Returns the versions of the rows to delete.
  func deletedVersions() throws -> [Inverse.Key: Int64] {
    var versions: [Inverse.Key: Int64] = [:]
    for (key, entity) in deletions {
      let layout = try past.catalog.layout(of: entity)
      versions[key] = try past.version(of: key.identifier, layout)
    }
    return versions
  }

  /// Continues the versions of rows that were deleted, after they were inserted again.
  func restoreVersions(_ entities: EntityWriters) throws {
    for (key, row) in recreated where row.version > 0 {
      _ = try entities.writer(row.layout.name).change(key.identifier, [], step: row.version)
    }
  }

  /// Returns the save.
  func request() throws -> SaveRequest {
    var request = SaveRequest()
    for (entity, columns, rows) in try batches(insertions) {
      request.inserts.append(.init(entity: entity, columns: columns, rows: rows))
    }
    for (entity, columns, rows) in try batches(updates) {
      request.updates.append(.init(entity: entity, columns: columns, rows: rows))
    }
    for (key, links) in links { request.updates.append(try change(key, links)) }
    let byEntity = Dictionary(grouping: deletions, by: \.entity)
    for (entity, rows) in byEntity.sorted(by: { $0.key < $1.key }) {
      request.deletes.append(.init(entity: entity, identifiers: rows.map(\.key.identifier)))
    }
    return request
  }

  /// Returns rows grouped by equal properties.
  private func batches(
    _ rows: [Inverse.Key: Values]
  ) throws -> [(entity: String, columns: [String], rows: RowBatch)] {
    let groups = Dictionary(grouping: rows) { row in
      [row.value.layout.name] + row.value.values.keys.sorted()
    }
    return try groups.sorted { $0.key.lexicographicallyPrecedes($1.key) }.map { group, rows in
      let columns = Array(group.dropFirst())
      let layout = try past.catalog.layout(of: group[0])
      let destinations = try columns.map { try destination(of: $0, layout) }
      var writer = JSONWriter()
      writer.array(rows.sorted { $0.key.identifier < $1.key.identifier }) { writer, row in
        writer.raw("[")
        identifier(row.key, to: &writer)
        for (name, destination) in zip(columns, destinations) {
          writer.raw(",")
          let value = row.value.values[name]
          if let destination, let target = value?.identifier {
            identifier(Inverse.Key(root: destination, identifier: target), to: &writer)
          } else if let value {
            value.write(.number, to: &writer)
          } else {
            writer.raw("null")
          }
        }
        writer.raw("]")
      }
      return (layout.name, ["$id"] + columns, RowBatch(json: writer.bytes, count: rows.count))
    }
  }

  private func change(
    _ key: Inverse.LinkKey,
    _ links: Inverse.Links
  ) throws -> SaveRequest.Change {
    let layout = try past.catalog.layout(of: key.entity)
    let destination = try destination(of: key.relationship, layout) ?? ""
    var writer = JSONWriter()
    writer.raw("[[")
    identifier(Inverse.Key(root: layout.root, identifier: key.identifier), to: &writer)
    writer.raw(",")
    writer.object { writer in
      for (name, rows) in [("add" as StaticString, links.add), ("remove", links.remove)] {
        writer.member(name)
        writer.array(rows.sorted()) { writer, row in
          identifier(Inverse.Key(root: destination, identifier: row), to: &writer)
        }
      }
    }
    writer.raw("]]")
    return SaveRequest.Change(
      entity: key.entity,
      columns: ["$id", key.relationship],
      rows: RowBatch(json: writer.bytes, count: 1)
    )
  }

  /// Returns the root entity of a to-one relationship's destination; `nil` for another property.
  private func destination(of name: String, _ layout: EntityLayout) throws -> String? {
    guard let relationship = layout.relationship(name) else { return nil }
    return try past.catalog.layout(of: relationship.destination).root
  }

  private func identifier(_ key: Inverse.Key, to writer: inout JSONWriter) {
    if recreated[key] != nil {
      writer.string(Self.name(key))
    } else {
      writer.integer(key.identifier)
    }
  }
}
