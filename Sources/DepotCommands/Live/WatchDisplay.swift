internal import DepotClientCore
internal import DepotProtocol

/// The display of a watch of rows.
protocol WatchDisplay: AnyObject {
  /// Shows an event, with all rows after it if they are known.
  ///
  /// The first columns are `$id` and `$version`.
  func show(
    _ event: LiveEvent<WatchedRow>,
    _ rows: LiveRows<WatchedRow>?,
    columns: [String]
  ) throws

  /// Redraws after time or a new window size; returns the milliseconds until the next call.
  func refresh() throws -> Int?

  /// Writes the final output.
  func end() throws
}

extension WatchDisplay {
  func refresh() throws -> Int? { nil }
  func end() throws {}
}

/// A watch as JSON objects, one in each line.
@Memberwise("style", "sink")
final class WatchObjects: WatchDisplay {
  private let style: RowStyle
  private let showsSnapshots: Bool
  private let sink: ByteSink

  func show(
    _ event: LiveEvent<WatchedRow>,
    _ rows: LiveRows<WatchedRow>?,
    columns: [String]
  ) throws {
    switch event {
    case .snapshot(let rows):
      line("snapshot", rows.token) { $0.member("rows", rows.count) }
      for (place, row) in rows.enumerated() where showsSnapshots {
        line("row") { line in
          line.member("at", place)
          write(row, columns, to: &line)
        }
      }
    case .resumed(let resumption):
      line("resumed", resumption.token) { line in
        line.member("rows", resumption.order.count)
        line.member("order", resumption.order.map { "\(style.entity)/\($0)" })
      }
      for row in resumption.rows {
        line("changed", resumption.token) { write(row, columns, to: &$0) }
      }
    case .change(let change): show(change, columns)
    case .current(let token): line("current", token)
    case .interrupted: line("interrupted")
    }
    try sink.flush()
  }

  private func show(_ change: LiveChange<WatchedRow>, _ columns: [String]) {
    for removal in change.removed {
      line("removed", change.token, change.author) { line in
        line.member("from", removal.from)
        line.name("row")
        line.beginRow(style.entity, removal.identifier)
        line.raw("}")
      }
    }
    for placement in change.placed {
      line(placement.isInsertion ? "inserted" : "updated", change.token, change.author) { line in
        line.member("at", placement.at)
        if let from = placement.from { line.member("from", from) }
        if let properties = placement.properties { line.member("properties", properties) }
        write(placement.row, columns, to: &line)
      }
    }
  }

  private func write(_ row: LiveRow<WatchedRow>, _ columns: [String], to writer: inout JSONWriter) {
    let version = style.showsVersion ? row.version : nil
    writer.name("row")
    writer.beginRow(style.entity, row.identifier, version: version)
    for (name, value) in zip(columns.dropFirst(2), row.content.values) {
      writer.member(name, json: value)
    }
    writer.raw("}")
  }

  private func line(
    _ kind: String,
    _ token: HistoryToken? = nil,
    _ author: String? = nil,
    _ body: (inout JSONWriter) -> Void = { _ in }
  ) {
    sink.writer.raw("{")
    sink.writer.member("kind", .string(kind))
    if let token { sink.writer.member("token", .string(token.description)) }
    if let author { sink.writer.member("author", .string(author)) }
    body(&sink.writer)
    sink.writer.raw("}\n")
  }
}

extension JSONWriter {
  fileprivate mutating func member(_ name: String, _ number: Int) {
    member(name, .int64(Int64(number)))
  }

  fileprivate mutating func member(_ name: String, _ names: [String]) {
    member(name, .array(names.map(JSONValue.string)))
  }
}

/// A watch as lines of text, for logs and for terminals whose cursor can't be moved.
@Memberwise("style", "sink")
final class WatchLog: WatchDisplay {
  private let style: RowStyle
  private let showsSnapshots: Bool
  private let sink: ByteSink
  private var before: [LiveRow<WatchedRow>] = []

  func show(
    _ event: LiveEvent<WatchedRow>,
    _ rows: LiveRows<WatchedRow>?,
    columns: [String]
  ) throws {
    let columns = Array(columns.dropFirst(2))
    switch event {
    case .snapshot(let rows):
      for row in rows where showsSnapshots { write(" ", row, columns) }
      sink.append("= \(Numbers.counted(rows.count, "row")) at \(rows.token)\n")
    case .resumed(let resumption):
      for row in resumption.rows { write("~", row, columns) }
      sink.append("= \(Numbers.counted(resumption.order.count, "row")) at \(resumption.token)\n")
    case .change(let change):
      for removal in change.removed { sink.append("- \(style.entity)/\(removal.identifier)\n") }
      for placement in change.placed {
        var places: Set<Int>?
        if let from = placement.from, before.indices.contains(from) {
          places = placement.row.content.differences(from: before[from].content)
        }
        write(placement.isInsertion ? "+" : "~", placement.row, columns, only: places)
      }
    case .current: break
    case .interrupted(let error): sink.append("! \(error.message)\n")
    }
    before = rows?.map(\.self) ?? []
    try sink.flush()
  }

  private func write(
    _ mark: String,
    _ row: LiveRow<WatchedRow>,
    _ columns: [String],
    only places: Set<Int>? = nil
  ) {
    var line = "\(mark) \(style.entity)/\(row.identifier)"
    let cells = row.content.cells(nullText: style.nullText.isEmpty ? "null" : style.nullText)
    for (place, (name, cell)) in zip(columns, cells).enumerated()
    where places?.contains(place) ?? true {
      line += " \(name)=\(cell.text)"
    }
    sink.append(line + "\n")
  }
}
