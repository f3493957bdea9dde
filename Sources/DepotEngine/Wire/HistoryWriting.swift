internal import DepotProtocol
internal import DepotSQLite

/// Writes transactions of the history in the form for clients.
struct HistoryWriting {
  let catalog: Catalog
  let bounds: HistoryBounds
  let hasValues: Bool
  let int64: Int64Form

  /// Begins the object of a transaction, up to its changes.
  func begin(_ transaction: HistorySource.Transaction, to writer: inout JSONWriter) {
    writeMembers(of: transaction, to: &writer)
    writer.raw(",\"changes\":[")
  }

  /// Writes the object of a group's combined transactions.
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

  /// The most bytes of each value where the change would otherwise be too large for a frame.
  static let valueLimits = [1 << 20, 64 << 10, 4 << 10]

  /// Writes a change of one row, with the known values of the row that the change lacks.
  ///
  /// If it would have more bytes than `room`, it has only the lengths of the largest values.
  func write(
    _ change: RecordedChange,
    _ row: RowState?,
    room: Int,
    to writer: inout JSONWriter
  ) {
    let start = writer.bytes.count
    write(change, row, .max, to: &writer)
    for limit in Self.valueLimits where writer.bytes.count - start > room {
      writer.bytes.removeSubrange(start...)
      write(change, row, limit, to: &writer)
    }
  }

  private func write(
    _ change: RecordedChange,
    _ row: RowState?,
    _ limit: Int,
    to writer: inout JSONWriter
  ) {
    let layout = try? catalog.layout(of: change.entity)
    writer.object { writer in
      writer.member("entity", change.entity)
      writer.member("id", change.identifier, as: int64)
      writer.member("kind", change.kind.name)
      if change.kind != .insert {
        write(change, parts(of: change, row, layout), limit, to: &writer)
      } else if let row, let layout, row.exists {
        writeInserted(row, layout, limit, to: &writer)
      }
    }
  }

  /// Returns the unchanged parts of the composites that an update changed.
  private func parts(
    of change: RecordedChange,
    _ row: RowState?,
    _ layout: EntityLayout?
  ) -> [(path: String, value: HistoryValue)] {
    guard let row, row.exists, let layout else { return [] }
    return layout.unchangedParts(of: change).compactMap { path in
      row.values[path].map { (path, $0) }
    }
  }

  private func write(
    _ change: RecordedChange,
    _ parts: [(path: String, value: HistoryValue)],
    _ limit: Int,
    to writer: inout JSONWriter
  ) {
    if let version = change.version { writer.member("version", version, as: int64) }
    // By index, since properties are large to copy.
    let properties = change.properties
    if change.kind != .delete {
      writer.member("properties")
      writer.raw("[")
      for index in properties.indices {
        if index > 0 { writer.raw(",") }
        writer.string(properties[index].name)
      }
      writer.raw("]")
    }
    guard hasValues else { return }
    var list = MemberList("old", limit)
    for index in properties.indices {
      if let old = properties[index].content.old {
        list.add(properties[index].name, old, int64, to: &writer)
      }
    }
    for (path, value) in parts { list.add(path, value, int64, to: &writer) }
    list.end(&writer)
    list = MemberList("new", limit)
    for index in properties.indices {
      if let new = properties[index].content.new {
        list.add(properties[index].name, new, int64, to: &writer)
      } else if case .links(let added, let removed) = properties[index].content {
        list.begin(properties[index].name, &writer)
        writer.object { $0.addLinks(added, removed, int64) }
      }
    }
    for (path, value) in parts { list.add(path, value, int64, to: &writer) }
    list.end(&writer)
  }

  private func writeInserted(
    _ row: RowState,
    _ layout: EntityLayout,
    _ limit: Int,
    to writer: inout JSONWriter
  ) {
    var list = MemberList("new", limit)
    for field in layout.fields {
      guard let value = row.values[field.path] else { continue }
      list.add(field.path, value, int64, to: &writer)
    }
    list.end(&writer, writesEmpty: true)
  }
}

/// A member with an object of values, which the first value begins.
struct MemberList {
  private let name: StaticString
  /// The most bytes of a value; a larger one is written as its length.
  private let limit: Int
  private var isOpen = false

  init(_ name: StaticString, _ limit: Int = .max) { (self.name, self.limit) = (name, limit) }

  /// Writes the name of a value.
  mutating func begin(_ name: String, _ writer: inout JSONWriter) {
    if !isOpen {
      writer.member(self.name)
      writer.raw("{")
      isOpen = true
    }
    writer.name(name)
  }

  mutating func add(
    _ name: String,
    _ value: HistoryValue,
    _ int64: Int64Form,
    to writer: inout JSONWriter
  ) {
    begin(name, &writer)
    value.write(int64, limit: limit, to: &writer)
  }

  /// Ends the object; an empty object is omitted unless `writesEmpty`.
  func end(_ writer: inout JSONWriter, writesEmpty: Bool = false) {
    if isOpen {
      writer.raw("}")
    } else if writesEmpty {
      writer.member(name)
      writer.raw("{}")
    }
  }
}

extension JSONWriter {
  /// Writes the members of a changed relationship: the rows, or only that their order changed.
  mutating func addLinks(_ added: [Int64], _ removed: [Int64], _ form: Int64Form) {
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
  /// The name for clients.
  var name: String {
    switch self {
    case .insert: "insert"
    case .update: "update"
    case .delete: "delete"
    case .links: "links"
    }
  }
}

extension HistoryOrigin {
  /// Writes the members about the origin of a change.
  func writeMembers(_ bounds: HistoryBounds, to writer: inout JSONWriter) {
    writer.member("token", bounds.token(token))
    writer.member("at")
    DateText.write(at, to: &writer)
    if let author { writer.member("author", author) }
    if let process { writer.member("process", process) }
  }
}

extension HistoryValue {
  /// Writes the value in the form for clients; null if it has another form, as in a damaged row.
  ///
  /// A text or data with more than `limit` bytes is written as its length.
  func write(_ int64: Int64Form, limit: Int = .max, to writer: inout JSONWriter) {
    let isWritten = withCell { cell in
      if cell.byteCount > limit, !isReference {
        writer.raw("{\"$length\":")
        writer.integer(cell.byteCount)
        writer.raw("}")
        return true
      }
      return switch cell {
      case .null: false
      case .integer(let value): form.write(value, int64, to: &writer)
      case .real(let value): form.write(value, to: &writer)
      case .text(let text):
        UTF8Sequence.isValid(text) && form.write(text: text, int64, to: &writer)
      case .blob(let bytes): form.write(blob: bytes, to: &writer)
      }
    }
    if !isWritten { writer.raw("null") }
  }

  /// The value as JSON.
  func json() throws(DepotError) -> JSONValue {
    try JSONValue(parsing: JSONWriter.bytes { write(.number, to: &$0) })
  }
}
