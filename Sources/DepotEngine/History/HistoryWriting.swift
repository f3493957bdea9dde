internal import DepotProtocol
internal import DepotSQLite

/// The writing of transactions of the history as clients get them.
struct HistoryWriting {
  private let catalog: Catalog
  private let bounds: HistoryBounds
  private let hasValues: Bool
  private let int64: Hello.Int64Form

  init(
    _ catalog: Catalog,
    _ bounds: HistoryBounds,
    hasValues: Bool,
    _ int64: Hello.Int64Form
  ) {
    self.catalog = catalog
    self.bounds = bounds
    self.hasValues = hasValues
    self.int64 = int64
  }

  /// Opens the object of a transaction, up to its changes.
  func begin(_ transaction: HistorySource.Transaction, to writer: inout JSONWriter) {
    let origin = transaction.origin
    writer.raw("{")
    origin.writeMembers(bounds, to: &writer)
    if let group = origin.group {
      writer.raw(",\"group\":")
      writer.string(group)
    }
    if let text = HistoryOrigin.text(transaction.origins, bounds) {
      writer.raw(",\"origin\":")
      writer.string(text)
    }
    writer.raw(",\"changes\":[")
  }

  /// Writes a change of one row.
  func write(_ change: HistorySource.Change, to writer: inout JSONWriter) {
    writer.raw("{\"entity\":")
    writer.string(change.entity)
    writer.raw(",\"id\":")
    writer.integer(change.identifier, as: int64)
    writer.raw(",\"kind\":\"")
    writer.raw(change.kind.name)
    writer.raw("\"")
    let layout = try? catalog.layout(of: change.entity)
    if let recorded = change.change {
      write(recorded, change.kind, layout, to: &writer)
    } else if let row = change.row, let layout {
      writeInserted(row, layout, to: &writer)
    }
    writer.raw("}")
  }

  private func write(
    _ change: RecordedChange,
    _ kind: HistoryTable.Kind,
    _ layout: EntityLayout?,
    to writer: inout JSONWriter
  ) {
    if let version = change.version {
      writer.raw(",\"version\":")
      writer.integer(version, as: int64)
    }
    if kind != .delete {
      writer.raw(",\"properties\":")
      writer.names(change.properties.map(\.name))
    }
    guard hasValues else { return }
    var old = MemberList()
    var new = MemberList()
    for property in change.properties {
      let form = Self.form(property.name, layout)
      switch property.content {
      case .name: break
      case .values(let before, let after):
        old.add(property.name, before, form, int64)
        new.add(property.name, after, form, int64)
      case .last(let value): old.add(property.name, value, form, int64)
      case .links(let added, let removed):
        new.add(property.name, Self.links(added, removed, int64), nil, .number)
      }
    }
    if !old.isEmpty { old.write("old", to: &writer) }
    if !new.isEmpty { new.write("new", to: &writer) }
  }

  private static func links(
    _ added: [Int64],
    _ removed: [Int64],
    _ form: Hello.Int64Form
  ) -> ArraySlice<UInt8> {
    var writer = JSONWriter()
    writer.raw("{")
    for (name, list) in [("\"add\":[", added), ("\"remove\":[", removed)] where !list.isEmpty {
      if writer.bytes.count > 1 { writer.raw(",") }
      writer.raw(name.utf8)
      for (index, identifier) in list.enumerated() {
        if index > 0 { writer.raw(",") }
        writer.integer(identifier, as: form)
      }
      writer.raw("]")
    }
    if added.isEmpty, removed.isEmpty { writer.raw("\"order\":true") }
    writer.raw("}")
    return writer.bytes[...]
  }

  /// Writes what a row had when it was inserted, as far as that is known.
  private func writeInserted(
    _ row: RowPast,
    _ layout: EntityLayout,
    to writer: inout JSONWriter
  ) {
    guard row.exists else { return }
    var new = MemberList()
    for field in layout.fields {
      guard let value = row.values[field.path] else { continue }
      new.add(field.path, value, RowColumn.Form(field.attribute), int64)
    }
    new.write("new", to: &writer)
  }

  /// How a property of an entity is written; `nil` if the entity has no such property.
  static func form(_ name: String, _ layout: EntityLayout?) -> RowColumn.Form? {
    guard let layout, let position = layout.position(of: name) else { return nil }
    return RowColumn.Form(layout.fields[position].attribute)
  }
}

/// The members of an object of values that is being written.
struct MemberList {
  private var writer = JSONWriter()

  var isEmpty: Bool { writer.bytes.isEmpty }

  /// The members with commas between them.
  var bytes: [UInt8] { writer.bytes }

  mutating func add(
    _ name: String,
    _ value: ArraySlice<UInt8>,
    _ form: RowColumn.Form?,
    _ int64: Hello.Int64Form
  ) {
    if !isEmpty { writer.raw(",") }
    writer.string(name)
    writer.raw(":")
    switch form {
    case .scalar(.int64)? where int64 == .string: writer.quoteNumbers(of: value)
    case .list(.int64)? where int64 == .string: writer.quoteNumbers(of: value)
    default: writer.raw(value)
    }
  }

  func write(_ name: StaticString, to writer: inout JSONWriter) {
    writer.raw(",\"")
    writer.raw(name)
    writer.raw("\":{")
    writer.raw(self.writer.bytes)
    writer.raw("}")
  }
}

extension JSONWriter {
  /// Writes a value of whole numbers with each of them in quotation marks.
  fileprivate mutating func quoteNumbers(of value: ArraySlice<UInt8>) {
    var isInNumber = false
    for byte in value {
      let isDigit = byte &- 0x30 < 10 || byte == UInt8(ascii: "-")
      if isDigit != isInNumber { bytes.append(UInt8(ascii: "\"")) }
      isInNumber = isDigit
      bytes.append(byte)
    }
    if isInNumber { bytes.append(UInt8(ascii: "\"")) }
  }
}

extension HistoryTable.Kind {
  /// The name on the wire.
  var name: StaticString {
    switch self {
    case .insert: "insert"
    case .update: "update"
    case .delete: "delete"
    case .links: "links"
    }
  }
}
