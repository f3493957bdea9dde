internal import DepotProtocol
internal import DepotSQLite

/// Reads the related rows for the rows of one frame.
@Memberwise("connection", "reply")
struct PrefetchRun {
  let connection: Connection
  let reply: ReplyWriter
  /// The most bytes of all related rows.
  let byteLimit: Int
  private var writer = JSONWriter(capacity: 16 << 10)

  /// Returns the elements of `related`, or `nil` if they have too many bytes.
  ///
  /// Each relationship takes one statement, for any number of source rows.
  mutating func related(
    _ nodes: [PrefetchNode],
    of identifiers: [Int64]
  ) throws -> ArraySlice<UInt8>? {
    for node in nodes {
      guard try append(node, of: identifiers) else { return nil }
    }
    return writer.bytes[...]
  }

  /// A source row, a related row, and its order.
  private struct JoinRow {
    var source: Int
    var order: Int64
    var target: Int64
  }

  private mutating func append(
    _ node: PrefetchNode,
    of sources: [Int64]
  ) throws -> Bool {
    writer.raw(writer.bytes.isEmpty ? "{" : ",{")
    writer.member("path", node.path)
    writer.member("entity", node.entity)
    if let names = node.names { writer.member("columns", names) }
    writer.raw(",\"rows\":[")
    var links: [JoinRow] = []
    var targets: [Int64] = []
    guard try appendRows(node, of: sources, &links, &targets) else { return false }
    writer.raw("]")
    if node.hasLinks { append(links, of: sources) }
    writer.raw("}")
    for child in node.children {
      guard try append(child, of: targets) else { return false }
    }
    return writer.bytes.count <= byteLimit
  }

  private mutating func appendRows(
    _ node: PrefetchNode,
    of sources: [Int64],
    _ links: inout [JoinRow],
    _ targets: inout [Int64]
  ) throws -> Bool {
    guard !sources.isEmpty else { return true }
    var query = node.statement
    query.parameters.append(.text(Self.list(sources)))
    let statement = try connection.prepared(query)
    defer { statement.reset() }
    var seen: Set<Int64> = []
    while try statement.step() {
      let identifier = statement.row.integer(PrefetchNode.rowOffset)
      if node.hasLinks {
        links.append(
          JoinRow(
            source: Int(statement.row.integer(0)),
            order: statement.row.integer(1),
            target: identifier
          )
        )
      }
      guard seen.insert(identifier).inserted else { continue }
      if !targets.isEmpty { writer.raw(",") }
      targets.append(identifier)
      try node.writing.write(
        statement.row,
        from: PrefetchNode.rowOffset,
        int64: reply.int64,
        to: &writer
      )
      if writer.bytes.count > byteLimit { return false }
    }
    return true
  }

  private static func list(_ identifiers: [Int64]) -> String {
    var writer = JSONWriter(capacity: identifiers.count * 8)
    writer.identifiers(identifiers)
    return String(decoding: writer.bytes, as: UTF8.self)
  }

  /// Writes the links of each source row, in the relationship's order.
  private mutating func append(_ links: [JoinRow], of sources: [Int64]) {
    let sorted = links.sorted {
      ($0.source, $0.order, $0.target) < ($1.source, $1.order, $1.target)
    }
    writer.raw(",\"links\":[")
    for (index, link) in sorted.enumerated() {
      if index > 0, sorted[index - 1].source == link.source {
        writer.raw(",")
      } else {
        writer.raw(index > 0 ? "]],[" : "[")
        writer.integer(sources[link.source], as: reply.int64)
        writer.raw(",[")
      }
      writer.integer(link.target, as: reply.int64)
    }
    writer.raw(sorted.isEmpty ? "]" : "]]]")
  }
}
