internal import DepotClient
internal import DepotProtocol

/// `depot get`: rows by their identifiers.
enum GetVerb {
  static let verb = Verb(
    words: ["get"],
    operands: "ENTITY/ID …",
    operandCount: 1...Int.max,
    operand: .entity,
    summary: "show rows by their identifiers",
    examples: ["depot get Package/42", "depot get Package/42 Package/43 -o json"],
    options: [OptionSpec.select, FetchVerb.subentityColumns, OptionSpec.versions, OptionSpec.null],
    run: run
  )

  @Sendable private static func run(_ session: Session) throws -> Int32 {
    let (entity, identifiers) = try Selection.identifiers(session.invocation.operands)
    let request = GetRequest(
      entity: entity,
      identifiers: identifiers,
      select: session.invocation.value(.select)?.split(separator: ",").map(String.init),
      includesSubentityColumns: session.invocation.has(FetchVerb.subentityColumns)
    )
    let style = session.style(entity)
    let printer = style.printer(to: session.output)
    try session.connect().get(request, columns: printer.begin) { row in
      try printer.print(&row)
    }
    try printer.end()
    try session.output.flush()
    if style.format == .table { FetchVerb.sayCount(identifiers.count, printer, session) }
    return 0
  }
}
