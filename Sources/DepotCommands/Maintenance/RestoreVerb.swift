internal import DepotClientCore
internal import DepotProtocol

/// `depot restore`: the replacement of a store by a backup.
enum RestoreVerb {
  private static let data: OptionSpec =
    "--data DIR: the folder of the store, as depotd --data has it"
  private static let file = OptionSpec(
    "--store FILE: the file of the store, instead of --data, or the address of a PostgreSQL "
      + "database, postgresql://USER@HOST,…/NAME"
  )
  private static let replace = OptionSpec(
    "--replace: replace the store that is there; it is kept beside the new one as ….replaced-1, in "
      + "a database as the schema depot_replaced_1"
  )

  static let verb = Verb(
    name: "restore",
    operands: .init("FILE|-", 1...1, .files),
    summary: "put a backup into the place of a store that no service has",
    details: """
      The backup is copied, and all of the copy is read again from the disk, before it takes the store's
      place. Whenever the command is killed, the store is wholly the old one or wholly the backup; if the
      old one was damaged, a service may refuse to start until the same command has run to its end.

      The next service begins a new epoch: who knows of transactions that the backup hasn't is told so,
      and reads anew. Stop all services of a database before. The command says how many transactions the backup is behind, if that can be known.
      """,
    examples: [
      "depot restore /var/backups/depot.sqlite --data /srv/depot",
      "gzip -dc monday.sqlite.gz | depot restore - --data /srv/depot",
      "depot service stop && depot restore monday.sqlite --data data --replace",
      "depot restore monday.sqlite --store 'postgresql:///app?host=/run/postgresql'",
    ],
    options: [data, file, replace]
  ) { session in
    let invocation = session.invocation
    var arguments: [String] = []
    switch (invocation.value(data), invocation.value(file)) {
    case (let folder?, nil): arguments += ["--data", folder]
    case (nil, let file?): arguments += ["--store", file]
    default:
      throw DepotError(.usage, "Say where the store is to be, with --data or with --store.")
    }
    if invocation.has(replace) { arguments.append("--replace") }
    let file = invocation.operands[0]
    guard file == "-" else { return try restore(file, arguments, session) }
    try PrivateFolder.with("depot-restore") { place in
      let file = place.path + "/store.sqlite"
      try InputFile("-").copy(to: ByteSink(creating: file))
      do {
        try restore(file, arguments, session)
      } catch var error as DepotError {
        // Nobody knows the file, which is gone soon.
        let isOfFile = error.message.contains(file)
        error.message = error.message.replacing("The store \(file)", with: "The backup")
          .replacing(file, with: "The backup")
        if isOfFile, error.code.class == "storage" {
          error.hint = "Is it cut off? Use another backup."
        }
        throw error
      }
    }
  }

  private static func restore(
    _ file: String,
    _ arguments: [String],
    _ session: CommandSession
  ) throws {
    let result = try ServiceTool(["--restore", file, "--report-start"] + arguments).result()
    session.write(result, orText: result["summary"]?.string ?? "Restored.")
  }
}
