internal import DepotClientCore
internal import DepotProtocol

/// `depot space`: the use of the store's disk.
enum SpaceVerb {
  static let verb = Verb(
    name: "space",
    summary: "show the use of the store's disk",
    details: """
      Of each entity, or hierarchy of entities: its rows, their indexes, values in external storage, and
      many-to-many relationships. Free pages are used again by later rows; depot compact gives them back.
      The history goes as --history-age and --history-bytes of depotd say. Copies are those that
      migrations, restores, and accepted losses have left beside the store: see depot copies remove.
      """,
    examples: ["depot space", "depot space -o json"],
    options: [.store]
  ) { session in
    let store = session.invocation.value(.store)
    let space = try session.connect().space(store: store)
    func bytes(_ value: JSONValue?) -> TableCell {
      .number(Numbers.size(bytes: Int(value?.int64 ?? 0)))
    }
    let facts = ["file", "log", "free", "history", "other"].map { name in
      [TableCell(text: name), bytes(space[name + "Bytes"])]
    }
    try session.write(space, orTable: ["of the store", "bytes"], facts)
    guard session.format.isTable else { return }
    let parts = (space["entities"]?.array ?? []).map { part in
      [
        TableCell(text: part["entity"]?.string ?? ""),
        .number(Numbers.grouped(Int(part["rows"]?.int64 ?? 0))), bytes(part["rowBytes"]),
        bytes(part["indexBytes"]), bytes(part["valueBytes"]), bytes(part["linkBytes"]),
      ]
    }
    try session.append(["entity", "rows", "bytes", "indexes", "values", "links"], parts)
    let copies = (space["copies"]?.array ?? []).map { copy in
      [TableCell(text: copy["name"]?.string ?? ""), bytes(copy["bytes"])]
    }
    try session.append(["copy", "bytes"], copies)
  }
}

/// `depot copies remove`: the removal of copies made by migrations and restores.
enum CopiesRemoveVerb {
  private static let all: OptionSpec = "--all: remove all of them"

  static let verb = Verb(
    name: "copies remove",
    operands: .init("NAME … | --all", 0...1000),
    summary: "remove copies that migrations and restores have left beside the store",
    details: """
      depot space lists them: NAME.backup-VERSION-N is the store before a migration, NAME.replaced-N the
      store before a restore, and ….lost-N what was of no use when a loss was accepted. None of them is
      needed by the store, but there is no way back without them. Only the owner of the service may.
      """,
    examples: [
      "depot copies remove depot.sqlite.backup-1.0.0-1", "depot copies remove --all",
    ],
    options: [all, .store]
  ) { session in
    let invocation = session.invocation
    guard invocation.operands.isEmpty == invocation.has(all) else {
      throw DepotError(.usage, "Name the copies to remove, or say --all.")
    }
    let connection = try session.connect()
    let store = invocation.value(.store)
    var names = invocation.operands
    if invocation.has(all) {
      names =
        try connection.space(store: store)["copies"]?.array?.compactMap { $0["name"]?.string }
        ?? []
    }
    let removed = try connection.removeCopies(names, store: store)
    let count = removed["removed"]?.array?.count ?? 0
    session.write(
      removed,
      orText: "\(Numbers.counted(count, "copy")) removed, "
        + "\(Numbers.size(bytes: Int(removed["bytes"]?.int64 ?? 0)))."
    )
  }
}

/// `depot compact`: the removal of a store's free pages.
enum CompactVerb {
  static let verb = Verb(
    name: "compact",
    summary: "give the store's free pages back to the disk",
    details: """
      The store's tables and indexes are written anew, without gaps. Others read meanwhile, and watches go
      on; writes wait until it is done, which takes a second or so for each 100 MB. Afterwards, streams and
      pins that take longer than a second end, so that the file can get shorter. It needs room for another
      copy of the store for a moment, and for one where depotd has its temporary files (TMPDIR, or
      /var/tmp). Interrupted or killed at any time, the store has all that it had. Only the owner of the
      service may.
      """,
    examples: ["depot compact", "depot --container shop compact --store main"],
    options: [.store]
  ) { session in
    let result = try session.connect().compact(store: session.invocation.value(.store))
    let before = Int(result["before"]?.int64 ?? 0)
    let after = Int(result["after"]?.int64 ?? 0)
    session.write(
      result,
      orText: "\(Numbers.size(bytes: before)) before, \(Numbers.size(bytes: after)) now."
    )
  }
}
