internal import DepotClientCore
internal import DepotLinux
internal import DepotProtocol

/// A watch as a table that is updated in place.
final class WatchTerminal: WatchDisplay {
  private let sink: ByteSink
  private let size: () -> WatchScreen.Size
  private var table = WatchTable()
  private var screen: WatchScreen
  private var columns: [String] = []
  private var token: HistoryToken?
  private var author: String?
  private var changedAt: UInt64?
  private var interruption: DepotError?
  private var isEntered = false

  init(_ style: RowStyle, _ sink: ByteSink, size: @escaping () -> WatchScreen.Size) {
    self.sink = sink
    self.size = size
    screen = WatchScreen(style)
  }

  func show(
    _ event: LiveEvent<WatchedRow>,
    _ rows: LiveRows<WatchedRow>?,
    columns: [String]
  ) throws {
    let now = Monotonic.now()
    self.columns = columns
    token = event.token ?? token
    interruption = nil
    if !isEntered { sink.append(WatchScreen.enter) }
    isEntered = true
    switch event {
    case .snapshot(let rows): table.show(Array(rows))
    case .change(let change):
      table.show(change, rows.map { Array($0) } ?? [], now: now)
      changedAt = now
      author = change.author
    case .resumed, .current: break
    case .interrupted(let error): interruption = error
    }
    _ = try refresh()
  }

  func refresh() throws -> Int? {
    guard isEntered else { return nil }
    let now = Monotonic.now()
    table.fade(now: now)
    sink.append(screen.draw(table, columns: columns, status: status(now), size: size()))
    try sink.flush()
    // The status shows the age of the last change.
    let next = min(table.nextFade ?? .max, now + 1_000_000_000)
    return Int((next - min(next, now)) / 1_000_000) + 1
  }

  func end() throws {
    guard isEntered else { return }
    isEntered = false
    sink.append(WatchScreen.leave)
    let lines = screen.lines(
      table,
      columns: columns,
      status: status(Monotonic.now()),
      size: size(),
      isLast: true
    )
    for line in lines { sink.append(line + "\n") }
    try sink.flush()
  }

  /// The status line, which describes the table.
  private func status(_ now: UInt64) -> String {
    var parts = [Numbers.counted(table.rows.count, "row")]
    if let token { parts.append("token \(token)") }
    if let changedAt, let tally = table.tally {
      let span = Numbers.span(seconds: (Double(now - changedAt) / 1e9).rounded(.down))
      let counts = [("+", tally.inserted), ("~", tally.updated), ("-", tally.removed)]
        .filter { $0.1 > 0 }.map { "\($0.0)\($0.1)" }.joined(separator: " ")
      let who = author.map { " by \(TextWidth.printable($0))" } ?? ""
      parts.append(
        "last change \(now - changedAt < 1_000_000_000 ? "now" : "\(span) ago")\(who): \(counts)"
      )
    }
    if let interruption {
      parts.append("not connected (\(TextWidth.printable(interruption.message)))")
    }
    return parts.joined(separator: " · ")
  }
}

/// A watched count.
@Memberwise("sink")
final class WatchedCount {
  private let sink: ByteSink
  /// Whether each count is a JSON object.
  private let isObject: Bool
  /// Whether a count replaces the one before on the screen.
  private let isRewritten: Bool
  private var isDrawn = false

  /// Shows a count.
  func show(_ answer: LiveAnswer<Int>) throws {
    if isObject {
      sink.append("{\"kind\":\"count\",\"token\":\"\(answer.token)\",\"count\":\(answer.value)}\n")
    } else {
      sink.append(isRewritten ? "\r\(answer.value)\u{1B}[K" : "\(answer.value)\n")
    }
    isDrawn = true
    try sink.flush()
  }

  /// Ends the line.
  func end() throws {
    if isRewritten, isDrawn { sink.append("\n") }
    try sink.flush()
  }
}
