internal import DepotClientCore
internal import DepotProtocol

/// `depot blame`: the last changes of each property of a row, with their authors.
enum BlameVerb {
  static let verb = Verb(
    name: "blame",
    operands: .row,
    summary: "show who last changed each property of a row",
    details: "What nobody changed since the oldest transaction that is kept is left out.",
    examples: ["depot blame Package/42", "depot blame Package/42 -o json"]
  ) { session in
    try session.require(.documents)
    let (entity, identifier) = try Selection.row(session.invocation.operands[0])
    let request = HistoryRowRequest(entity: entity, identifier: identifier)
    let answer = try JSONValue(session.connect().send(.historyRow(request)))
    session.beginPaging()
    let members = ["token", "at", "author", "process"]
    var origins = (answer["properties"] ?? .null).sortedMembers
    for (name, heading) in [("inserted", "(inserted)"), ("deletedBy", "(deleted)")] {
      if let origin = answer[name] { origins.append((heading, origin)) }
    }
    let rows = origins.map { name, origin in
      [TableCell(text: name)]
        + members.map { TableCell(text: TextWidth.printable(origin[$0]?.string ?? "")) }
    }
    try session.write(answer, orTable: ["property"] + members, whole: [1], rows)
  }
}

/// `depot show`: a row in a past state.
enum ShowVerb {
  private static let at: OptionSpec =
    "--at TOKEN: the moment, by the token of the last transaction before it"

  static let verb = Verb(
    name: "show",
    operands: .row,
    summary: "show a row as it was",
    details: "The exit status is 1 if there was no such row. For a row as it is: depot get.",
    examples: ["depot show Package/42 --at 3f2b8c01-9d20c4e7a1b2-1042"],
    options: [at]
  ) { session in
    try session.require(.documents)
    let (entity, identifier) = try Selection.row(session.invocation.operands[0])
    guard let text = session.invocation.value(at) else {
      throw DepotError(.usage, "depot show needs --at.")
        .hint(
          "Add --at TOKEN, as depot log prints it. For the current row: depot get "
            + "\(entity)/\(identifier)"
        )
    }
    let moment = try HistoryToken(text)
    let request = HistoryRowRequest(entity: entity, identifier: identifier, at: moment)
    let answer = try JSONValue(session.connect().send(.historyRow(request)))
    guard let row = answer["row"], row.object != nil else {
      throw DepotError(.objectNotFound, "There was no \(entity)/\(identifier) at \(text).")
    }
    session.beginPaging()
    let rows = row.sortedMembers.map { name, value in
      let text = value == .null ? "" : value.string ?? value.text
      return [TableCell(text: name), TableCell(text: TextWidth.printable(text))]
    }
    try session.write(answer, orTable: ["property", "value"], rows)
    guard session.format.isTable else { return }
    let unknown = answer["unknown"]?.array?.compactMap(\.string) ?? []
    if !unknown.isEmpty { session.say("Not known: \(unknown.joined(separator: ", "))") }
    if answer["schemaChanged"] == .bool(true) {
      session.say("The schema changed since, and with it perhaps the names of properties.")
    }
  }
}
