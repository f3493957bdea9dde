internal import DepotClient
internal import DepotProtocol

/// `depot blame`: who last changed each property of a row.
enum BlameVerb {
  static let verb = Verb(
    words: ["blame"],
    operands: "ENTITY/ID",
    operandCount: 1...1,
    operand: .entity,
    summary: "show who last changed each property of a row",
    details: "What nobody changed since the oldest transaction that is kept is left out.",
    examples: ["depot blame Package/42", "depot blame Package/42 -o json"],
    run: run
  )

  @Sendable private static func run(_ session: Session) throws -> Int32 {
    let (entity, identifiers) = try Selection.identifiers(session.invocation.operands)
    let request = HistoryRowRequest(entity: entity, identifier: identifiers[0])
    let answer = try JSONValue(session.connect().perform(.historyRow(request)))
    guard session.format == .table else {
      session.write(answer)
      return 0
    }
    let table = TablePrinter(session.style(""), session.output)
    table.begin(headings: ["property", "token", "at", "author", "process"])
    for (name, origin) in (answer["properties"]?.object ?? [:]).sorted(by: { $0.key < $1.key }) {
      try table.print(cells(name, origin))
    }
    for (name, heading) in [("inserted", "(inserted)"), ("deletedBy", "(deleted)")] {
      if let origin = answer[name] { try table.print(cells(heading, origin)) }
    }
    try table.end()
    return 0
  }

  private static func cells(_ name: String, _ origin: JSONValue) -> [TableCell] {
    [name].map { TableCell(text: $0) }
      + ["token", "at", "author", "process"].map { member in
        TableCell(text: TextWidth.printable(origin[member]?.string ?? ""))
      }
  }
}

/// `depot show`: a row as it was.
enum ShowVerb {
  private static let at = OptionSpec(
    name: "at",
    value: "TOKEN",
    help: "the moment, by the token of the last transaction before it"
  )

  static let verb = Verb(
    words: ["show"],
    operands: "ENTITY/ID",
    operandCount: 1...1,
    operand: .entity,
    summary: "show a row as it was",
    details: "The exit status is 1 if there was no such row. For a row as it is: depot get.",
    examples: ["depot show Package/42 --at 3f2b8c01-1042"],
    options: [at],
    run: run
  )

  @Sendable private static func run(_ session: Session) throws -> Int32 {
    let (entity, identifiers) = try Selection.identifiers(session.invocation.operands)
    guard let text = session.invocation.value(at) else {
      throw DepotError(.usage, "When? There is no --at.")
        .hint("For the row as it is: depot get \(entity)/\(identifiers[0])")
    }
    let request = HistoryRowRequest(
      entity: entity,
      identifier: identifiers[0],
      at: try HistoryToken(text)
    )
    let answer = try JSONValue(session.connect().perform(.historyRow(request)))
    guard let row = answer["row"]?.object else {
      throw DepotError(.objectNotFound, "There was no \(entity)/\(identifiers[0]) at \(text).")
    }
    guard session.format == .table else {
      session.write(answer)
      return 0
    }
    let table = TablePrinter(session.style(""), session.output)
    table.begin(headings: ["property", "value"])
    for (name, value) in row.sorted(by: { $0.key < $1.key }) {
      let text = value == .null ? "" : value.string ?? value.text
      try table.print([TableCell(text: name), TableCell(text: TextWidth.printable(text))])
    }
    try table.end()
    let unknown = answer["unknown"]?.array?.compactMap(\.string) ?? []
    if !unknown.isEmpty { session.say("Not known: \(unknown.joined(separator: ", "))") }
    if answer["schemaChanged"] == .bool(true) {
      session.say("The schema changed since, and with it perhaps the names of properties.")
    }
    return 0
  }
}
