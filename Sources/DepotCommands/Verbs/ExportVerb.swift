internal import DepotProtocol

/// `depot export`: rows in the form that `depot import` reads.
enum ExportVerb {
  private static let ids = OptionSpec(name: "ids", help: "write the $id of each row too")

  private static let all = OptionSpec(name: "all", help: "the whole store, into a folder")

  private static let moments = OptionSpec(
    name: "no-snapshot",
    help: "read each file as of a moment of its own, however long all of it takes"
  )

  static let verb = Verb(
    words: ["export"],
    operands: "ENTITY | --all DIR",
    operandCount: 1...1,
    operand: .entity,
    summary: "write rows for depot import",
    details: """
      The default format is NDJSON, also on a terminal. With --all, the folder DIR gets schema.json
      and a file of NDJSON for each entity, in which rows refer to each other by unique attributes, or
      by names such as Trip/3 for the third row of Trip. After depot import --all DIR into an empty
      store, an export has the same bytes. All files are of one moment, which the service keeps
      for a minute unless it was started with another --pin-ms; then the export fails, and needs a
      longer time or --no-snapshot.
      """,
    examples: [
      "depot export Package > packages.ndjson",
      "depot export Package -o csv --where \"section == 'database'\" > database.csv",
      "depot export --all backup",
      "depot export Package | depot --socket other.sock import Package -",
    ],
    options: OptionSpec.rows + [all, moments, ids, OptionSpec.versions, OptionSpec.null],
    run: run
  )

  @Sendable private static func run(_ session: Session) throws -> Int32 {
    if session.invocation.has(all) {
      for option in [OptionSpec.predicate, .sort, .limit, .offset, .select]
      where session.invocation.has(option) {
        throw DepotError(.usage, "--all and --\(option.name) contradict each other.")
      }
      let store = WholeStore(session.invocation.operands[0], session)
      return try store.export(isOneMoment: !session.invocation.has(moments))
    }
    if session.invocation.has(moments) {
      throw DepotError(
        .usage,
        "--no-snapshot is for --all; other exports are of one moment anyway."
      )
    }
    let request = try Selection.fetch(session.invocation)
    var style = session.style(request.entity)
    style.format = session.chosenFormat ?? .ndjson
    style.showsIdentifier = session.invocation.has(ids)
    try FetchVerb.stream(.fetch(request), style, session.connect(), session, hasIdentity: true)
    return 0
  }
}
