internal import DepotClientCore
internal import DepotProtocol

/// `depot undo` and `depot redo`: the inverse of transactions.
enum UndoVerb {
  private static let author: OptionSpec = "--author NAME: the last transaction of this author"
  private static let group: OptionSpec =
    "--group NAME: all transactions of this group, the last first"
  private static let policy = OptionSpec(
    "--policy POLICY: which side wins where values were changed since: \(policies.joined(separator: ", "))",
    candidates: .words(policies)
  )
  private static let single: OptionSpec =
    "--single: only this transaction, and not all that its command did"
  private static let policies = MergePolicy.allCases.map(\.rawValue)

  static let verb = Verb(
    name: "undo",
    operands: .token,
    summary: "undo the last command, or the named one",
    details: """
      It is undone in a transaction of its own, which depot redo undoes. What one command did in many
      transactions, as an import or an update with --chunk, is undone as a whole, with the last first, in
      many transactions; --group names it too. What was changed since stands in the way unless there is a
      --policy; what is undone until then stays so, and the same command goes on with the rest, also after
      an interruption. An inserted row that is gone already stands in nobody's way. depot log shows the
      tokens. If $DEPOT_AUTHOR is set, it is the last transaction of that author. A change of the schema can't
      be undone, nor is it skipped: earlier transactions must be named then.
      """,
    examples: [
      "depot undo", "depot undo --author ann", "depot undo 3f2b8c01-9d20c4e7a1b2-1042",
      "depot undo --group import-7",
      "depot undo 3f2b8c01-9d20c4e7a1b2-1042 --policy mergeByPropertyStoreTrump",
    ],
    options: [author, group, single, policy]
  ) { try run($0, isRedo: false) }

  static let redo = Verb(
    name: "redo",
    operands: .token,
    summary: "redo the last undo",
    examples: ["depot redo", "depot redo 3f2b8c01-9d20c4e7a1b2-1043"],
    options: [author, group, single, policy]
  ) { try run($0, isRedo: true) }

  private static func run(_ session: CommandSession, isRedo: Bool) throws {
    let invocation = session.invocation
    var request = UndoRequest(policy: try invocation.choice(policy))
    request.isWhole = !invocation.has(single)
    switch (invocation.operands.first, invocation.value(author), invocation.value(group)) {
    case (nil, nil, nil): break
    case (let token?, nil, nil): request.target = .token(try HistoryToken(token))
    case (nil, let author?, nil): request.target = .author(author)
    case (nil, nil, let group?): request.target = .group(group)
    default: throw DepotError(.usage, "TOKEN, --author and --group exclude each other.")
    }
    if !request.isWhole, case .group = request.target {
      throw DepotError(.usage, "--single and --group contradict each other.")
    }
    let connection = try session.connect()
    let node = try connection.send(isRedo ? .redo(request) : .undo(request))
    let result = try UndoResult(node)
    let done =
      result.transactions > shownCount
      ? Numbers.counted(result.transactions, "transaction")
      : result.undone.map(\.description).joined(separator: ", ")
    // A redo undoes the undo, so the text names the undoing transactions.
    var text = isRedo ? "Undid the undo \(done)" : "Undid \(done)"
    if let token = result.token { text += " in \(token)" }
    text = TextFlow.wrapped(text + ".", width: session.outputWidth, indentation: 2)
    for conflict in result.conflicts {
      let decision = conflict.decision?.rawValue ?? ""
      let names = conflict.properties.joined(separator: ", ")
      text += "\n  \(conflict.entity)/\(conflict.identifier) \(names): \(decision)"
    }
    session.write(try JSONValue(node), orText: text)
    // A message doesn't report that the output can't be written.
    try session.finishOutput()
    for line in (try? undone(result, connection)) ?? [] { session.say(line) }
  }

  /// Describes the undone transactions: their times, authors, and rows.
  private static func undone(
    _ result: UndoResult,
    _ connection: BlockingConnection
  ) throws -> [String] {
    let isSingle = result.transactions <= shownCount
    return try result.undone.prefix(isSingle ? shownCount : 1).flatMap { token in
      var heading: String?
      var joined: JoinedTransactions?
      var counts: [HistoryChange.Kind: [String: Int]] = [:]
      let request = HistoryRequest(
        until: token,
        limit: 1,
        isDescending: true,
        hasValues: false,
        joinsGroups: !isSingle
      )
      _ = try connection.history(request) { transaction in
        heading = HistoryText.heading(transaction)
        joined = transaction.joined
        for change in transaction.changes {
          counts[change.kind, default: [:]][change.entity, default: 0] += 1
        }
      }
      let rows = joined.map { HistoryText.sentence($0) } ?? HistoryText.sentence(counts)
      return heading.map { [$0, "    " + rows] } ?? []
    }
  }

  /// The most transactions that are named one by one.
  private static let shownCount = 3
}
