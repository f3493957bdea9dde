internal import DepotClientCore
internal import DepotProtocol

/// `depot export`: rows in the form that `depot import` reads.
enum ExportVerb {
  private static let ids: OptionSpec = "--ids: write the $id of each row too"

  private static let all: OptionSpec = "--all: the whole store, into a folder"

  private static let sqlite: OptionSpec =
    "--sqlite FILE|-: the whole store, into an SQLite file with plain tables for other tools"

  private static let moments: OptionSpec =
    "--no-snapshot: read each entity as of a moment of its own, however long all of it takes"

  static let verb = Verb(
    name: "export",
    operands: .init("ENTITY | --all DIR | --sqlite FILE", 0...1, .entities),
    summary: "write rows for depot import",
    details: """
      The default format is NDJSON, also on a terminal. A relationship is written as the unique
      attribute of the rows that it leads to, or else as their identifiers with the store that they
      are of, which depot import takes in that store only. Of two relationships that are each other's
      inverse one is written, and no computed value, unless --select names them. In CSV, null is an
      empty field, the empty text is one in quotation marks, and a list is JSON. Rows of entities that
      descend from ENTITY follow, one entity after the other, each with all that it has.

      With --all, the folder DIR gets schema.json and a file of NDJSON for each entity, in which rows
      refer to each other by unique attributes, or by names such as Trip/3 for the third row of Trip.
      After depot import --all DIR into an empty store, an export has the same bytes. An earlier export
      in the folder is replaced once the new one is complete; with any other files it is refused.

      With --sqlite, FILE becomes an SQLite database for Datasette, sqlitebrowser, pandas, and the like: a
      table for each entity, or for each hierarchy with a column "entity"; a key "id"; a foreign key
      "author_id" for each to-one relationship, and a table "Book_tags" for each that joins many rows with
      many. Dates, UUIDs, and decimals are texts, lists JSON. A column whose name is taken gets another,
      which is said. It isn't a store: for that, see depot backup.

      Rows that their reader is slow to take wait in a file below $TMPDIR, up to 4 GiB of them.

      An export is of one moment. If it needs several requests, the service keeps the moment for as long
      as that takes, unless its log grows beyond its --log-mib meanwhile: then the export fails, and needs
      a quieter hour, a greater --log-mib, or --no-snapshot.
      """,
    examples: [
      "depot export Package > packages.ndjson",
      "depot export Package -o csv --where \"section == 'database'\" > database.csv",
      "depot export --all backup",
      "depot export --sqlite plain.sqlite",
      "depot export Package | depot --socket other.sock import Package -",
    ],
    options: OptionSpec.rows + [all, sqlite, moments, ids, OptionSpec.versions, OptionSpec.null]
  ) { session in
    if session.invocation.has(all) {
      let operands = session.invocation.operands
      guard operands.count == 1, operands != ["-"], !session.invocation.has(sqlite) else {
        throw DepotError(.usage, "--all takes one folder.").hint("See: depot export --help")
      }
      for option in [OptionSpec.predicate, .sort, .limit, .offset, .select]
      where session.invocation.has(option) {
        throw DepotError(.usage, "--all and --\(option.name) contradict each other.")
      }
      let store = WholeStore(session.invocation.operands[0], session)
      return try store.export(isOneMoment: !session.invocation.has(moments))
    }
    if let file = session.invocation.value(sqlite) {
      guard session.invocation.operands.isEmpty else {
        throw DepotError(.usage, "--sqlite takes the whole store, and no entity.")
      }
      for option in OptionSpec.rows where session.invocation.has(option) {
        throw DepotError(.usage, "--sqlite and --\(option.name) contradict each other.")
      }
      let export = TablesExport(file, session)
      return try export.run(isOneMoment: !session.invocation.has(moments))
    }
    guard !session.invocation.operands.isEmpty else {
      throw DepotError(.usage, "depot export needs ENTITY | --all DIR | --sqlite FILE.")
        .hint("See: depot export --help")
    }
    let request = try Selection.fetch(session.invocation)
    var style = session.style(request.entity)
    style.format = session.chosenFormat ?? .ndjson
    style.showsIdentifier = session.invocation.has(ids)
    session.beginPaging()
    let connection = try session.connect()
    let schema = try connection.schema()
    let export = try EntityExport(
      request,
      schema,
      stores: try connection.storeIdentifiers(),
      format: style.format
    )
    let isOneMoment = !session.invocation.has(moments)
    try export.write(style, connection, session, isOneMoment: isOneMoment)
  }
}
