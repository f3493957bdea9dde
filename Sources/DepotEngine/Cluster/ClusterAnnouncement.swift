internal import DepotProtocol

/// The description of a commit's transactions for other services, as JSON.
///
/// A transaction is an object: `token`, `at` in seconds since 2001, `author`, `connection`,
/// `schema` if it changed, and `tables` and `links`, whose members are the changed rows of each or
/// `null` for many. A row is an array: identifier, kind, number of its entity, indexes of changed
/// columns, and those of its relationships with the destinations before.
enum ClusterAnnouncement {
  /// The most rows of a table in a description; more are described as many.
  private static let rowLimit = 1000

  static func bytes(_ commits: [CommittedChanges]) -> [UInt8] {
    JSONWriter.bytes { writer in
      writer.array(commits) { writer, commit in write(commit, to: &writer) }
    }
  }

  private static func write(_ commit: CommittedChanges, to writer: inout JSONWriter) {
    writer.object { writer in
      writer.member("token", Int(commit.token))
      writer.member("at")
      writer.double(commit.at)
      if let author = commit.author { writer.member("author", author) }
      writer.member("connection", Int(commit.connection))
      if commit.isSchemaChange { writer.member("schema", true) }
      writer.member("tables")
      writer.dictionary(commit.tables) { writer, table in
        guard !table.isMany, table.rows.count <= rowLimit else { return writer.raw("null") }
        writer.array(table.rows) { writer, row in write(row, to: &writer) }
      }
      writer.member("links")
      writer.dictionary(commit.links) { writer, links in
        guard !links.isMany, links.pairs.count <= rowLimit else { return writer.raw("null") }
        writer.array(links.pairs) { writer, pair in
          writer.array([pair.source, pair.target]) { $0.integer($1) }
        }
      }
    }
  }

  private static func write(_ row: RowChange, to writer: inout JSONWriter) {
    let kind =
      switch row.kind {
      case .insert: 0
      case .update: 1
      case .delete: 2
      }
    writer.raw("[")
    writer.integer(row.identifier)
    writer.raw(",")
    writer.integer(kind)
    writer.raw(",")
    writer.integer(row.entityNumber)
    writer.raw(",")
    writer.array(row.columns.indices) { $0.integer($1) }
    writer.raw(",")
    writer.array(row.oldReferences.sorted { $0.key < $1.key }) { writer, reference in
      writer.array([Int64(reference.key), reference.value]) { $0.integer($1) }
    }
    writer.raw("]")
  }

  /// Reads the transactions of a commit; unreadable changes of a table count as many changed rows.
  static func read(_ bytes: some Sequence<UInt8>) -> [CommittedChanges] {
    let document = try? JSONDocument(Array(bytes), valueLimit: .max)
    guard let commits = document.flatMap({ try? JSONValue($0.root) })?.array else { return [] }
    return commits.compactMap { value in
      guard let token = value["token"]?.int64 else { return nil }
      var commit = CommittedChanges(
        token: token,
        at: value["at"]?.double ?? 0,
        author: value["author"]?.string,
        connection: value["connection"]?.int64 ?? 0
      )
      commit.isSchemaChange = value["schema"]?.bool ?? false
      for (name, rows) in value["tables"]?.object ?? [:] { commit.tables[name] = table(rows) }
      for (name, pairs) in value["links"]?.object ?? [:] { commit.links[name] = links(pairs) }
      return commit
    }
  }

  private static func table(_ value: JSONValue) -> TableChanges {
    guard let rows = value.array else { return TableChanges(isMany: true) }
    let changes = rows.compactMap(row)
    guard changes.count == rows.count else { return TableChanges(isMany: true) }
    return TableChanges(rows: changes)
  }

  private static func row(_ value: JSONValue) -> RowChange? {
    guard let parts = value.array, parts.count == 5, let identifier = parts[0].int64,
      let number = parts[2].int64, let places = parts[3].array, let references = parts[4].array
    else { return nil }
    let kind: RowChange.Kind
    switch parts[1].int64 {
    case 0: kind = .insert
    case 1: kind = .update
    case 2: kind = .delete
    default: return nil
    }
    var row = RowChange(identifier: identifier, kind: kind, entityNumber: Int(number))
    row.columns = ColumnSet(places.compactMap { $0.int64.map { Int($0) } })
    for pair in references {
      guard let place = pair.array?.first?.int64, let target = pair.array?.last?.int64 else {
        return nil
      }
      row.oldReferences[Int(place)] = target
    }
    return row
  }

  private static func links(_ value: JSONValue) -> LinkRows {
    guard let pairs = value.array else { return LinkRows(isMany: true) }
    var links = LinkRows()
    for pair in pairs {
      guard let source = pair.array?.first?.int64, let target = pair.array?.last?.int64 else {
        return LinkRows(isMany: true)
      }
      links.pairs.append((source, target))
    }
    return links
  }
}

extension JSONWriter {
  /// Writes an object whose member names aren't constants.
  fileprivate mutating func dictionary<Value>(
    _ members: [String: Value],
    _ body: (inout JSONWriter, Value) -> Void
  ) {
    raw("{")
    separated(members.sorted { $0.key < $1.key }) { writer, member in
      writer.string(member.key)
      writer.raw(":")
      body(&writer, member.value)
    }
    raw("}")
  }
}
