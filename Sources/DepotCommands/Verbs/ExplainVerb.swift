internal import DepotClientCore
internal import DepotProtocol

/// `depot explain`: the plan of a query.
enum ExplainVerb {
  private static let count: OptionSpec = "--count: rather how they would be counted"
  private static let runs: OptionSpec =
    "--run: also find the rows, without showing them, and show the cost"

  static let verb = Verb(
    name: "explain",
    operands: .entity,
    summary: "show how rows would be found",
    details: "With --by or --value it is about groups, as in depot aggregate.",
    examples: [
      "depot explain Package --where \"section == 'database'\" --sort installedSize:desc",
      "depot explain Package --by section --value n=count --run",
    ],
    options: OptionSpec.rows
      + [AggregateVerb.by, AggregateVerb.value, AggregateVerb.having, count, runs]
  ) { session in
    let request = try request(session.invocation)
    let plan = try JSONValue(session.connect().send(.explain(request)))
    session.beginPaging()
    session.write(plan, orText: text(plan, width: session.style("").width))
  }

  /// Returns the request that a command line describes.
  static func request(_ invocation: Invocation) throws(DepotError) -> ExplainRequest {
    let groups =
      [AggregateVerb.by, AggregateVerb.value].contains { !invocation.values($0).isEmpty }
      || invocation.has(AggregateVerb.having)
    guard !groups || !invocation.has(count) else {
      throw DepotError(.usage, "--count is about rows, not about groups.")
    }
    let read: ExplainRequest.Read =
      groups
      ? .aggregate(try AggregateVerb.request(invocation))
      : invocation.has(count)
        ? .count(try Selection.count(invocation)) : .fetch(try Selection.fetch(invocation))
    return ExplainRequest(read, runs: invocation.has(runs))
  }

  /// Returns the plan in words for people; `width` is the terminal's.
  private static func text(_ plan: JSONValue, width: Int?) -> String {
    func wrapped(_ text: String) -> String {
      TextFlow.wrapped(text, width: min(width ?? 80, 80), indentation: 8)
    }
    var lines: [String] = []
    if let text = plan["text"]?.string { lines.append("Where:  " + wrapped(text)) }
    if let sql = plan["sql"]?.string { lines.append("SQL:    " + wrapped(sql)) }
    for (index, step) in (plan["plan"]?.array ?? []).enumerated() {
      lines.append((index == 0 ? "Plan:   " : "        ") + wrapped(step.string ?? step.text))
    }
    let uses = plan["uses"]?.array?.compactMap(\.string) ?? []
    if !uses.isEmpty { lines.append("Uses:   " + uses.joined(separator: ", ")) }
    if plan["fullScan"]?.bool == true { lines.append("Scan:   every row is read") }
    if let advice = plan["advice"]?.string { lines.append("Advice: " + wrapped(advice)) }
    if let run = plan["run"] {
      func number(_ name: String) -> Int { Int(run[name]?.int64 ?? 0) }
      let found = Numbers.counted(number("rows"), "row")
      let scanned = Numbers.grouped(number("scanned"))
      let time = Numbers.span(seconds: Double(number("microseconds")) / 1e6)
      lines.append("Cost:   \(found), \(scanned) scanned, \(number("sorts")) sorts, \(time)")
    }
    return lines.joined(separator: "\n")
  }
}
