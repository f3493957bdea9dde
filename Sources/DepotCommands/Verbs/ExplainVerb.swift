internal import DepotClient
internal import DepotProtocol

/// `depot explain`: how the service would find rows.
enum ExplainVerb {
  static let verb = Verb(
    words: ["explain"],
    operands: "ENTITY",
    operandCount: 1...1,
    operand: .entity,
    summary: "show how rows would be found",
    examples: [
      "depot explain Package --where \"section == 'database'\" --sort installedSize:desc"
    ],
    options: OptionSpec.rows,
    run: run
  )

  @Sendable private static func run(_ session: Session) throws -> Int32 {
    let plan = try session.connect().explain(Selection.fetch(session.invocation))
    session.write(plan, orText: text(plan))
    return 0
  }

  /// Returns the plan as people read it.
  static func text(_ plan: JSONValue) -> String {
    var lines: [String] = []
    if let sql = plan["sql"]?.string { lines.append("SQL:    \(sql)") }
    for (index, step) in (plan["plan"]?.array ?? []).enumerated() {
      lines.append((index == 0 ? "Plan:   " : "        ") + (step.string ?? step.text))
    }
    let uses = plan["uses"]?.array?.compactMap(\.string) ?? []
    if !uses.isEmpty { lines.append("Uses:   " + uses.joined(separator: ", ")) }
    if plan["fullScan"]?.bool == true { lines.append("Scan:   every row is read") }
    if let advice = plan["advice"]?.string { lines.append("Advice: \(advice)") }
    return lines.joined(separator: "\n")
  }
}
