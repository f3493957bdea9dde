internal import DepotClientCore
internal import DepotLinux
internal import DepotProtocol

/// `depot backup`: a snapshot of a store as a file.
enum BackupVerb {
  private static let rate = OptionSpec(
    "--rate SIZE: how many bytes to take in a second at most, as in 800K, 64M, or 1G; 0 for any "
      + "number (default: 64M)"
  )
  private static let address = OptionSpec(
    "--to ADDRESS: put it into a PostgreSQL database instead, postgresql://USER@HOST,…/NAME"
  )
  private static let replace = OptionSpec(
    "--replace: with --to, replace the store that is there; it is kept in another schema of the "
      + "database"
  )
  private static let unchecked: OptionSpec = "--no-check: don't read the file again to prove it"

  static let verb = Verb(
    name: "backup",
    operands: .init("FILE|-", 0...1, .files),
    summary: "copy the store to a file or a database while others work",
    details: """
      FILE gets the store as it is at one moment, with its history and identifiers. It is written as
      FILE.part, read again from the disk to prove every page and every row of it, and only then gets its
      name, over that of an earlier backup, and over nothing else: no other file, and no store that a
      service has or had. So whenever the command is killed, FILE is whole, or the earlier one, or isn't
      there. depot restore takes it, and depotd serves it. With - it is written to the standard output, once
      it is proved, and needs room for a copy in $TMPDIR.

      Others read and write meanwhile. While it runs the store's log can't begin anew: if it grows beyond
      the --log-mib of the service, the backup ends with an error, and needs another --rate, or a quieter
      hour.

      Of a container with several stores, FILE becomes a folder with a file for each, all as of one
      moment, unless --store names one. Only the owner of the service may ask: the file also has what was deleted.

      With --to the store moves to a database, with its history and identifiers: depotd --store ADDRESS
      serves it there, on as many hosts as there are. What is written here afterwards isn't there. It needs
      room for a copy in $TMPDIR and for one in the folder of depotd's --cache. The way back is
      depot backup FILE with a service of the database.
      """,
    examples: [
      "depot backup /var/backups/depot.sqlite",
      "depot backup \"monday.sqlite\" --rate 8M -q",
      "depot --container shop backup shop.sqlite --store main",
      "depot backup - | gzip > monday.sqlite.gz",
      "depot backup --to 'postgresql://depot@db1,db2/app?target_session_attrs=read-write'",
    ],
    options: [.store, rate, unchecked, address, replace]
  ) { session in
    let invocation = session.invocation
    let rate = try TransferRate(invocation.value(rate) ?? "64M")
    let isProved = !invocation.has(unchecked)
    let (path, address) = (invocation.operands.first, invocation.value(address))
    guard (path == nil) != (address == nil), address != nil || !invocation.has(replace) else {
      throw DepotError(.usage, "A backup goes to a FILE, or to a database with --to.")
        .hint("--replace is for a store in a database. See depot backup --help.")
    }
    guard path != "-" || !session.isOutputTerminal else {
      throw DepotError(.usage, "A backup isn't for a terminal.")
        .hint("Redirect it, as in: depot backup - > monday.sqlite")
    }
    let connection = try session.connect()
    let stores = try connection.openStores().map(\.name)
    let run = BackupRun(session: session, rate: rate, isProved: isProved)
    guard let path, path != "-" else {
      guard stores.count < 2 || invocation.has(.store) else {
        let place = path == nil ? "a database" : "the output"
        throw DepotError(.usage, "The container has several stores; \(place) holds one.")
          .hint("Name the store with --store: \(stores.joined(separator: ", ")).")
      }
      let store = invocation.value(.store)
      if path != nil { return try run.write(store, connection) }
      return try run.move(store, to: address ?? "", invocation.has(replace), connection)
    }
    if stores.count < 2 || invocation.has(.store) {
      return try run.back(up: invocation.value(.store), to: path, connection)
    }
    try run.back(up: stores, into: path, connection)
  }
}

extension OptionSpec {
  static let store: OptionSpec = "--store NAME: which store of a container with several"
}

/// Writes one or several backups.
private struct BackupRun {
  let session: CommandSession
  let rate: TransferRate
  let isProved: Bool

  /// Writes one store to a file, and reports it.
  func back(up store: String?, to path: String, _ connection: BlockingConnection) throws {
    let facts = try write(store, to: path, connection)
    session.write(
      facts.json(path),
      orText: "\(Numbers.size(bytes: facts.size)) in \(path)"
        + (facts.token.map { ", up to \($0)." } ?? ".")
    )
  }

  /// Writes one store to the standard output, and reports it on the standard error.
  func write(_ store: String?, _ connection: BlockingConnection) throws {
    try PrivateFolder.with("depot-backup") { place in
      let file = place.path + "/store.sqlite"
      let facts = try write(store, to: file, connection)
      try InputFile(file).copy(to: session.output)
      session.say(
        "\(Numbers.size(bytes: facts.size))" + (facts.token.map { ", up to \($0)." } ?? ".")
      )
    }
  }

  /// Copies one store into a database, and reports it.
  func move(
    _ store: String?,
    to address: String,
    _ replaces: Bool,
    _ connection: BlockingConnection
  ) throws {
    guard ContainerStore.isDatabase(address) else {
      throw DepotError(.usage, "--to takes the address of a database, postgresql://….")
        .hint("A file is named without --to.")
    }
    try PrivateFolder.with("depot-backup") { place in
      let file = place.path + "/store.sqlite"
      _ = try write(store, to: file, connection)
      let arguments = ["--restore", file, "--store", address, "--report-start"]
      let result = try ServiceTool(arguments + (replaces ? ["--replace"] : [])).result()
      session.write(result, orText: result["summary"]?.string ?? "Restored.")
    }
  }

  /// Writes several stores, from one snapshot, into a new folder.
  func back(up stores: [String], into folder: String, _ connection: BlockingConnection) throws {
    let backup = try BackupFolder(folder)
    defer { backup.end() }
    var result: [JSONValue] = []
    try connection.withSnapshot { connection in
      for store in stores {
        let name = "/\(store).sqlite"
        result.append(try write(store, to: backup.draft + name, connection).json(folder + name))
      }
    }
    try backup.publish()
    session.write(
      .object(["stores": .array(result)]),
      orText: "\(Numbers.counted(stores.count, "store")) in \(folder)."
    )
  }

  private func write(
    _ store: String?,
    to path: String,
    _ connection: BlockingConnection
  ) throws -> BackupFacts {
    let file = try BackupFile(path)
    do {
      let meter = session.meter()
      defer { meter.finish() }
      var done = 0
      let facts = try connection.backup(store: store) { piece, size in
        try file.write(piece)
        done += piece.count
        meter.draw(bytes: done, of: size)
        rate.wait(for: done)
      }
      meter.finish()
      try file.publish(isProved: isProved)
      return facts
    } catch {
      file.discard()
      guard let error = error as? DepotError, error.code == .streamExpired else { throw error }
      throw DepotError(.streamExpired, "The service ended the snapshot before the backup was done.")
        .hint(
          "Try a higher --rate, or when less is written; or start depotd with a greater --log-mib."
        )
    }
  }
}

extension BackupFacts {
  /// The facts for programs.
  fileprivate func json(_ path: String) -> JSONValue {
    var members: [String: JSONValue] = [
      "file": .string(path), "bytes": .int64(Int64(size)), "store": .string(store),
    ]
    members["token"] = token.map(JSONValue.string)
    return .object(members)
  }
}
