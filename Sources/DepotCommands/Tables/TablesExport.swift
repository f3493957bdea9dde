internal import DepotClientCore
internal import DepotLinux
internal import DepotProtocol

/// The export of a whole store into an SQLite file with plain tables.
///
/// The rows go into a folder of tables; `depotd` makes the file of it, since clients don't contain
/// SQLite.
@Memberwise("file", "session")
struct TablesExport {
  private let file: String
  private let session: CommandSession

  /// Writes the file, from one snapshot if `isOneMoment`; it gets its name when it is complete.
  func run(isOneMoment: Bool) throws {
    guard file != "-" || !session.isOutputTerminal else {
      throw DepotError(.usage, "An SQLite file isn't for a terminal.")
        .hint("Redirect it, as in: depot export --sqlite - > plain.sqlite")
    }
    let connection = try session.connect()
    var notes: [String] = []
    let count = try PrivateFolder.with("depot-export") { place in
      let folder = try place.made("tables")
      let count = try WholeStore.read(connection, isOneMoment: isOneMoment) {
        let plan = TablesPlan(try $0.schema())
        notes = plan.notes
        return try write(plan, $0, folder, &notes)
      }
      let target = file == "-" ? place.path + "/tables.sqlite" : file
      _ = try ServiceTool(
        ["--write-tables", folder, "--into", target, "--report-start"]
      ).result()
      if file == "-" { try InputFile(target).copy(to: session.output) }
      return count
    }
    for note in notes { session.say(note) }
    let place = file == "-" ? "" : " in \(file)"
    session.say(Numbers.counted(count, "row") + place)
  }

  /// Writes the rows into a folder of tables, and returns their number.
  private func write(
    _ plan: TablesPlan,
    _ connection: BlockingConnection,
    _ folder: String,
    _ notes: inout [String]
  ) throws -> Int {
    let schema = try connection.schema()
    var sinks: [String: ByteSink] = [:]
    for table in plan.tables {
      sinks[table.name] = ByteSink(try Descriptor.create(path: "\(folder)/\(table.file)"))
    }
    let meter = session.meter()
    defer { meter.finish() }
    var (count, changedCount) = (0, 0)
    for part in ExportPlan(schema).files {
      let root = TablesPlan.root(part.entity, schema)
      guard let rows = plan.rows[root], let sink = sinks[root] else { continue }
      let owners = try schema.lineage(of: schema.entity(named: part.entity))
      let names = Set(owners.map(\.name))
      let request = FetchRequest(
        entity: part.entity,
        includesSubentities: false,
        sort: [SortKey("$id")],
        select: part.attributes + part.relationships.map(\.name)
      )
      try WholeStore.fetch(request, connection) { key, values in
        try part.check(values, of: key)
        changedCount += try rows.write(key, part.entity, names, values, to: sink)
        for relationship in part.relationships where relationship.isToMany {
          let owner = owners.first { $0.relationships.contains(relationship) }?.name ?? ""
          guard let pairs = plan.pairs["\(owner).\(relationship.name)"],
            let value = values[relationship.name], let sink = sinks[pairs.table.name]
          else { continue }
          try pairs.write(key, value, to: sink)
        }
        count += 1
        meter.update(rows: count)
      }
    }
    for sink in sinks.values { try sink.flush() }
    if changedCount > 0 {
      notes.append(
        """
        \(Numbers.counted(changedCount, "number")) can't be in an SQLite file as in the store: NaN is \
        NULL there, and -0.0 is 0.0.
        """
      )
    }
    let list = ByteSink(try Descriptor.create(path: "\(folder)/\(PlainTable.list)"))
    list.append(JSONValue.array(plan.tables.map(\.json)).text)
    try list.flush()
    return count
  }
}

extension TablesPlan.Rows {
  /// Writes a row of an entity with ancestors.
  ///
  /// - Returns: How many of its numbers SQLite stores as others.
  fileprivate func write(
    _ key: Int64,
    _ entity: String,
    _ lineage: Set<String>,
    _ values: [String: [UInt8]],
    to sink: ByteSink
  ) throws -> Int {
    var changedCount = 0
    var writer = JSONWriter()
    writer.raw("[")
    writer.integer(key)
    if hasEntity {
      writer.raw(",")
      writer.string(entity)
    }
    for member in members {
      writer.raw(",")
      let json = lineage.contains(member.owner) ? values[member.path] : nil
      let value = try json.map { try PlainValue($0, member.attribute) } ?? .null
      if case .real(let number) = value, number.isNaN || number == 0 && number.sign == .minus {
        changedCount += 1
      }
      value.write(to: &writer)
    }
    writer.raw("]\n")
    sink.bytes += writer.bytes
    try sink.flushIfLarge()
    return changedCount
  }
}

extension TablesPlan.Pairs {
  fileprivate func write(_ key: Int64, _ value: [UInt8], to sink: ByteSink) throws {
    let node = try JSONDocument(value, valueLimit: .max).root
    guard !node.isNull else { return }
    var writer = JSONWriter()
    for (place, target) in try node.elements().enumerated() {
      writer.raw("[")
      writer.integer(key)
      writer.raw(",")
      writer.integer(try target.int64())
      if relationship.isOrdered {
        writer.raw(",")
        writer.integer(place)
      }
      writer.raw("]\n")
    }
    sink.bytes += writer.bytes
    try sink.flushIfLarge()
  }
}
