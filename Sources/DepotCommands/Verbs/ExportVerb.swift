internal import DepotProtocol

/// `depot export`: rows in the form that `depot import` reads.
enum ExportVerb {
  private static let ids = OptionSpec(name: "ids", help: "write the $id of each row too")

  static let verb = Verb(
    words: ["export"],
    operands: "ENTITY",
    operandCount: 1...1,
    operand: .entity,
    summary: "write rows for depot import",
    details: "The default format is NDJSON, also on a terminal.",
    examples: [
      "depot export Package > packages.ndjson",
      "depot export Package -o csv --where \"section == 'database'\" > database.csv",
      "depot export Package | depot --socket other.sock import Package -",
    ],
    options: OptionSpec.rows + [ids, OptionSpec.versions, OptionSpec.null],
    run: run
  )

  @Sendable private static func run(_ session: Session) throws -> Int32 {
    let request = try Selection.fetch(session.invocation)
    var style = session.style(request.entity)
    style.format = session.chosenFormat ?? .ndjson
    style.showsIdentifier = session.invocation.has(ids)
    try FetchVerb.stream(.fetch(request), style, session.connect(), session, hasIdentity: true)
    return 0
  }
}
