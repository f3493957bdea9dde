internal import DepotClientCore
internal import DepotLinux
internal import DepotProtocol

/// `depot stats`: the service's counters.
enum StatsVerb {
  private static let prometheus: OptionSpec = "--prometheus: in Prometheus's text format"
  private static let file = OptionSpec(
    "--to FILE: put it into FILE as a whole, for the textfile collector of Prometheus's node "
      + "exporter"
  )

  static let verb = Verb(
    name: "stats",
    summary: "show the service's counters",
    examples: [
      "depot stats", "depot stats -o json",
      "depot stats --prometheus --to /var/lib/prometheus/node-exporter/depot.prom",
    ],
    options: [prometheus, file]
  ) { session in
    if !session.invocation.has(prometheus) { try session.require(.documents) }
    let stats = try session.connect().stats()
    if let file = session.invocation.value(file) {
      guard session.invocation.has(prometheus) else {
        throw DepotError(.usage, "--to is for --prometheus.")
      }
      return try replace(file, with: Prometheus.text(stats))
    }
    session.beginPaging()
    if session.invocation.has(prometheus) {
      session.output.append(Prometheus.text(stats))
    } else {
      try write(stats, session)
    }
  }

  /// Replaces the content of a file, so that readers find either the old or the new content.
  private static func replace(_ path: String, with text: String) throws(DepotError) {
    guard !FileSystem.isOtherThanFile(path) else {
      throw DepotError(.usage, "\(path) is no file, but a folder, a link, or a device.")
        .hint("Without --to, the text goes to the standard output.")
    }
    // The collector only reads files whose names end in .prom.
    let temporary = "\(path).\(Process.identifier)"
    do throws(SystemError) {
      let file = try Descriptor.create(path: temporary)
      try file.write(Array(text.utf8))
      try file.setMode(0o644)
      try FileSystem.rename(temporary, to: path)
    } catch {
      FileSystem.remove(file: temporary)
      let code = error.isPermission ? DepotError.Code.filePermission : .fileNotFound
      throw DepotError(code, "The file \(path) can't be written (\(error)).")
    }
  }

  /// Writes all counters; for people, calls are in tables of their own.
  private static func write(_ stats: JSONValue, _ session: CommandSession) throws {
    let counters = stats.sortedMembers.filter { $0.name != "calls" && $0.name != "slow" }
    let rows = counters.flatMap { facts($0.name, $0.value) }
    try session.write(stats, orTable: ["counter", "value"], rows)
    guard session.format.isTable else { return }
    let calls = (stats["calls"] ?? .null).sortedMembers.map { call($0.name, $0.value) }
    try session.append(["call", "count", "errors", "total", "mean"], calls)
    let slow = (stats["slow"]?.array ?? []).map { call in
      [
        TableCell(text: call["op"]?.string ?? ""), TableCell(text: call["entity"]?.string ?? ""),
        .number(Numbers.fixed(call["ms"]?.double ?? 0, 1)),
      ]
    }
    try session.append(["slow call", "entity", "ms"], slow)
  }

  private static func facts(_ name: String, _ value: JSONValue) -> [[TableCell]] {
    let cell: TableCell
    switch value {
    case .object:
      return value.sortedMembers.flatMap { facts("\(name).\($0.name)", $0.value) }
    // Lists are for programs only.
    case .array: return []
    case .int64(let number):
      cell = .number(name.hasSuffix("Bytes") ? Numbers.size(bytes: Int(number)) : "\(number)")
    case .double(let number):
      let isSpan = name.hasSuffix("Seconds")
      cell = .number(isSpan ? Numbers.span(seconds: number) : Numbers.fixed(number, 3))
    default: cell = TableCell(text: TextWidth.printable(value.string ?? value.text))
    }
    return [[TableCell(text: name), cell]]
  }

  private static func call(_ name: String, _ call: JSONValue) -> [TableCell] {
    let count = call["count"]?.int64 ?? 0
    let seconds = call["seconds"]?.double ?? 0
    let numbers = [
      Numbers.grouped(Int(count)), Numbers.grouped(Int(call["errors"]?.int64 ?? 0)),
      Numbers.span(seconds: seconds),
      count > 0 ? Numbers.span(seconds: seconds / Double(count)) : "",
    ]
    return [TableCell(text: name)] + numbers.map(TableCell.number)
  }
}
