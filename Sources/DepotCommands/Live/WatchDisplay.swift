internal import DepotClient
internal import DepotProtocol

/// Where a watch of rows is shown.
protocol WatchDisplay: AnyObject {
  /// Shows an event.
  ///
  /// - Parameters:
  ///   - event: What happened.
  ///   - rows: The rows after it, if they are known.
  ///   - columns: The names of the columns, `$id` and `$version` first.
  /// - Throws: ``OutputClosed`` if nobody reads the output.
  func show(
    _ event: LiveEvent<WatchedRow>,
    _ rows: LiveRows<WatchedRow>?,
    columns: [String]
  ) throws

  /// Does what time and the window's size ask for; returns after how many milliseconds to come again.
  func refresh() throws -> Int?

  /// Shows what is to stay.
  func end() throws
}

extension WatchDisplay {
  func refresh() throws -> Int? { nil }
  func end() throws {}
}

/// A watch as JSON objects, one in each line.
final class WatchObjects: WatchDisplay {
  private let style: RowStyle
  private let showsSnapshots: Bool
  private let sink: ByteSink
  private var writer = JSONWriter(capacity: 1 << 12)
  private var columns: [String] = []

  init(_ style: RowStyle, showsSnapshots: Bool, _ sink: ByteSink) {
    self.style = style
    self.showsSnapshots = showsSnapshots
    self.sink = sink
  }

  func show(
    _ event: LiveEvent<WatchedRow>,
    _ rows: LiveRows<WatchedRow>?,
    columns: [String]
  ) throws {
    self.columns = Array(columns.dropFirst(2))
    switch event {
    case .snapshot(let rows):
      line("snapshot", rows.token) { $0.member("rows", rows.count) }
      for (place, row) in rows.enumerated() where showsSnapshots {
        line("row") { line in
          line.member("at", place)
          line.row(row)
        }
      }
    case .resumed(let resumption):
      line("resumed", resumption.token) { line in
        line.member("rows", resumption.order.count)
        line.member("order", resumption.order.map { "\(style.entity)/\($0)" })
      }
      for row in resumption.rows { line("changed", resumption.token) { $0.row(row) } }
    case .change(let change): try show(change)
    case .current(let token): line("current", token) { _ in }
    case .interrupted: line("interrupted") { _ in }
    }
    try sink.flush()
  }

  private func show(_ change: LiveChange<WatchedRow>) throws {
    for removal in change.removed {
      line("removed", change.token, change.author) { line in
        line.member("from", removal.from)
        line.row(removal.identifier)
      }
    }
    for placement in change.placed {
      let kind: StaticString = placement.isInsertion ? "inserted" : "updated"
      line(kind, change.token, change.author) { line in
        line.member("at", placement.at)
        if let from = placement.from { line.member("from", from) }
        if let properties = placement.properties { line.member("properties", properties) }
        line.row(placement.row)
      }
    }
  }

  /// The members of a line.
  private struct Line {
    let printer: WatchObjects

    func member(_ name: StaticString, _ value: Int) {
      printer.begin(name)
      printer.writer.integer(value)
    }

    func member(_ name: StaticString, _ names: [String]) {
      printer.begin(name)
      printer.writer.write(.array(names.map(JSONValue.string)))
    }

    func row(_ identifier: Int64) {
      printer.begin("row")
      printer.writer.raw("{\"$id\":")
      printer.writer.string("\(printer.style.entity)/\(identifier)")
      printer.writer.raw("}")
    }

    func row(_ row: LiveRow<WatchedRow>) {
      self.row(row.identifier)
      printer.writer.bytes.removeLast()
      if printer.style.showsVersion {
        printer.writer.raw(",\"$version\":")
        printer.writer.integer(row.version)
      }
      for (name, value) in zip(printer.columns, row.content.values) {
        printer.writer.raw(",")
        printer.writer.string(name)
        printer.writer.raw(":")
        printer.writer.raw(value)
      }
      printer.writer.raw("}")
    }
  }

  private func begin(_ name: StaticString) {
    writer.raw(",\"")
    writer.raw(name)
    writer.raw("\":")
  }

  private func line(
    _ kind: StaticString,
    _ token: HistoryToken? = nil,
    _ author: String? = nil,
    _ body: (Line) -> Void
  ) {
    swap(&writer.bytes, &sink.bytes)
    writer.raw("{\"kind\":\"")
    writer.raw(kind)
    writer.raw("\"")
    if let token {
      begin("token")
      writer.string(token.description)
    }
    if let author {
      begin("author")
      writer.string(author)
    }
    body(Line(printer: self))
    writer.raw("}\n")
    swap(&writer.bytes, &sink.bytes)
  }
}

/// A watch as lines of text, for terminals whose cursor can't be moved and for logs.
final class WatchLog: WatchDisplay {
  private let style: RowStyle
  private let showsSnapshots: Bool
  private let sink: ByteSink
  private var before: [LiveRow<WatchedRow>] = []

  init(_ style: RowStyle, showsSnapshots: Bool, _ sink: ByteSink) {
    self.style = style
    self.showsSnapshots = showsSnapshots
    self.sink = sink
  }

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
