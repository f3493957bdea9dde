internal import DepotClientCore
internal import DepotProtocol

/// `depot get`: rows by their identifiers.
enum GetVerb {
  static let verb = Verb(
    name: "get",
    operands: .init("ENTITY/ID …", 1...Int.max, .entities),
    summary: "show rows by their identifiers",
    examples: ["depot get Package/42", "depot get Package/42 Package/43 -o json"],
    options: [OptionSpec.select, FetchVerb.subentityColumns, OptionSpec.versions, OptionSpec.null]
  ) { session in
    let (entity, identifiers) = try Selection.identifiers(session.invocation.operands)
    let request = GetRequest(
      entity: entity,
      identifiers: identifiers,
      select: session.invocation.value(.select)?.split(separator: ",").map(String.init),
      includesSubentityColumns: session.invocation.has(FetchVerb.subentityColumns)
    )
    let style = try session.style(knowing: entity)
    session.beginPaging()
    let printer = style.printer(to: session.output)
    try printer.writing {
      try session.connect().get(request, columns: printer.begin) { try printer.print(&$0) }
    }
    try session.output.flush()
    if style.format.isTable { RowStream.sayCount(identifiers.count, printer, session) }
    RowStream.sayLengths(printer, session)
  }
}
