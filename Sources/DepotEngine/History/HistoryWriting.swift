internal import DepotProtocol
internal import DepotSQLite

/// The writing of transactions of the history as clients get them.
struct HistoryWriting {
  let catalog: Catalog
  let bounds: HistoryBounds
  let hasValues: Bool
  let int64: Hello.Int64Form

  /// Opens the object of a transaction, up to its changes.
  func begin(_ transaction: HistorySource.Transaction, to writer: inout JSONWriter) {
    writeMembers(of: transaction, to: &writer)
    writer.raw(",\"changes\":[")
  }

  /// Writes the object that stands for the transactions of a group.
  func write(
    _ transaction: HistorySource.Transaction,
    _ group: HistoryGroup,
    to writer: inout JSONWriter
  ) {
    writeMembers(of: transaction, to: &writer)
    writer.member("joined") { writer in
      writer.member("first", bounds.token(group.first))
      writer.member("last", bounds.token(group.last))
      writer.member("transactions", group.count)
      writer.member("rows") { writer in
        for (kind, count) in group.rows.sorted(by: { $0.key.rawValue < $1.key.rawValue }) {
          writer.name(kind.name)
          writer.integer(Int64(count))
        }
      }
    }
    writer.raw(",\"changes\":[]}")
  }

  private func writeMembers(
    of transaction: HistorySource.Transaction,
    to writer: inout JSONWriter
  ) {
    let origin = transaction.origin
    writer.raw("{")
    origin.writeMembers(bounds, to: &writer)
    if let group = origin.group { writer.member("group", group) }
    if let text = HistoryOrigin.text(transaction.origins, bounds) { writer.member("origin", text) }
  }

  /// Writes a change of one row, with the values of an inserted row as far as they are known.
  func write(_ change: RecordedChange, _ row: RowPast?, to writer: inout JSONWriter) {
    let layout = try? catalog.layout(of: change.entity)
    writer.object { writer in
      writer.member("entity", change.entity)
      writer.member("id", change.identifier, as: int64)
      writer.member("kind", change.kind.name)
      if change.kind != .insert {
        write(change, to: &writer)
      } else if let row, let layout, row.exists {
        writeInserted(row, layout, to: &writer)
      }
    }
  }

  private func write(_ change: RecordedChange, to writer: inout JSONWriter) {
    if let version = change.version { writer.member("version", version, as: int64) }
    if change.kind != .delete { writer.member("properties", change.properties.map(\.name)) }
    guard hasValues else { return }
    var old = MemberList()
    var new = MemberList()
    for property in change.properties {
      switch property.content {
      case .name: break
      case .values(let before, let after):
        old.add(property.name, before, int64)
        new.add(property.name, after, int64)
      case .last(let value): old.add(property.name, value, int64)
      case .links(let added, let removed):
        new.addLinks(property.name, added, removed, int64)
      }
    }
    if !old.isEmpty { old.write("old", to: &writer) }
    if !new.isEmpty { new.write("new", to: &writer) }
  }

  private func writeInserted(
    _ row: RowPast,
    _ layout: EntityLayout,
    to writer: inout JSONWriter
  ) {
    var new = MemberList()
    for field in layout.fields {
      guard let value = row.values[field.path] else { continue }
      new.add(field.path, value, int64)
    }
    new.write("new", to: &writer)
  }
}

/// The members of an object of values that is being written.
struct MemberList {
  private var writer = JSONWriter()

  var isEmpty: Bool { writer.bytes.isEmpty }

  /// The members with commas between them.
  var bytes: [UInt8] { writer.bytes }

  mutating func add(_ name: String, _ value: HistoryValue, _ int64: Hello.Int64Form) {
    writer.name(name)
    value.write(int64, to: &writer)
  }

  /// Adds the change of a relationship from many to many.
  mutating func addLinks(
    _ name: String,
    _ added: [Int64],
    _ removed: [Int64],
    _ int64: Hello.Int64Form
  ) {
    writer.name(name)
    writer.object { $0.addLinks(added, removed, int64) }
  }

  func write(_ name: StaticString, to writer: inout JSONWriter) {
    writer.member(name) { $0.raw(self.writer.bytes) }
  }
}

extension JSONWriter {
  /// Writes the members of a change of a relationship: the rows, or only that their order is another one.
  mutating func addLinks(_ added: [Int64], _ removed: [Int64], _ form: Hello.Int64Form) {
    if !added.isEmpty {
      member("add")
      identifiers(added, as: form)
    }
    if !removed.isEmpty {
      member("remove")
      identifiers(removed, as: form)
    }
    if added.isEmpty, removed.isEmpty { member("order", true) }
  }
}

extension HistoryTable.Kind {
  /// The name on the wire.
  var name: String {
    switch self {
    case .insert: "insert"
    case .update: "update"
    case .delete: "delete"
    case .links: "links"
    }
  }
}
