internal import DepotClient
internal import DepotProtocol

/// `depot stats`: the service's counters.
enum StatsVerb {
  private static let prometheus = OptionSpec(
    name: "prometheus",
    help: "in Prometheus's text format"
  )

  static let verb = Verb(
    words: ["stats"],
    summary: "show the service's counters",
    examples: [
      "depot stats", "depot stats -o json",
      "depot stats --prometheus > /var/lib/node_exporter/depot.prom",
    ],
    options: [prometheus],
    run: run
  )

  @Sendable private static func run(_ session: Session) throws -> Int32 {
    let stats = try session.connect().stats()
    if session.invocation.has(prometheus) {
      session.output.append(Prometheus.text(stats))
    } else if session.format == .table {
      try StatsTable.write(stats, session.style(""), session.output)
    } else {
      session.write(stats)
    }
    return 0
  }
}

/// The counters as tables.
enum StatsTable {
  /// Writes all counters, the calls in a table of their own.
  static func write(_ stats: JSONValue, _ style: RowStyle, _ sink: ByteSink) throws {
    let facts = TablePrinter(style, sink)
    facts.begin(headings: ["counter", "value"])
    for (name, value) in (stats.object ?? [:]).sorted(by: { $0.key < $1.key })
    where name != "calls" && name != "slow" {
      try writeFacts(name, value, facts)
    }
    try facts.end()
    try writeCalls(stats["calls"]?.object ?? [:], style, sink)
    try writeSlow(stats["slow"]?.array ?? [], style, sink)
  }

  private static func writeFacts(
    _ name: String,
    _ value: JSONValue,
    _ table: TablePrinter
  ) throws {
    switch value {
    case .object(let members):
      for (member, value) in members.sorted(by: { $0.key < $1.key }) {
        try writeFacts("\(name).\(member)", value, table)
      }
    case .int64(let number):
      let text = name.hasSuffix("Bytes") ? Numbers.size(bytes: Int(number)) : "\(number)"
      try table.print([TableCell(text: name), TableCell(text: text, isNumber: true)])
    case .double(let number):
      let text =
        name.hasSuffix("Seconds") ? Numbers.span(seconds: number) : Numbers.fixed(number, 3)
      try table.print([TableCell(text: name), TableCell(text: text, isNumber: true)])
    case .array:
      // Lists are for programs.
      break
    default:
      let text = TextWidth.printable(value.string ?? value.text)
      try table.print([TableCell(text: name), TableCell(text: text)])
    }
  }

  private static func writeCalls(
    _ calls: [String: JSONValue],
    _ style: RowStyle,
    _ sink: ByteSink
  ) throws {
    let table = TablePrinter(style, sink)
    table.begin(headings: ["call", "count", "errors", "total", "mean"])
    for (name, call) in calls.sorted(by: { $0.key < $1.key }) {
      let count = call["count"]?.int64 ?? 0
      let seconds = call["seconds"]?.double ?? 0
      let mean = count > 0 ? Numbers.span(seconds: seconds / Double(count)) : ""
      let numbers = [
        Numbers.grouped(Int(count)), Numbers.grouped(Int(call["errors"]?.int64 ?? 0)),
        Numbers.span(seconds: seconds), mean,
      ]
      try table.print(
        [TableCell(text: name)] + numbers.map { TableCell(text: $0, isNumber: true) }
      )
    }
    if !calls.isEmpty { sink.append("\n") }
    try table.end()
  }

  private static func writeSlow(
    _ slow: [JSONValue],
    _ style: RowStyle,
    _ sink: ByteSink
  ) throws {
    guard !slow.isEmpty else { return }
    let table = TablePrinter(style, sink)
    table.begin(headings: ["slow call", "entity", "ms"])
    for call in slow {
      try table.print([
        TableCell(text: call["op"]?.string ?? ""), TableCell(text: call["entity"]?.string ?? ""),
        TableCell(text: Numbers.fixed(call["ms"]?.double ?? 0, 1), isNumber: true),
      ])
    }
    sink.append("\n")
    try table.end()
  }
}
