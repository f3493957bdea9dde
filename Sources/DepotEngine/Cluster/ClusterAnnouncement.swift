/// The description of a commit's transactions for other services, as cells of ``PackedCells``.
///
/// A transaction is its token, its time in seconds since 2001, its author, its connection, 1 if the
/// schema changed, else 0, and the lists of its tables and its join tables. A list is its number of
/// elements, and these; a table is its name, and the list of its changed rows, or null for many. A
/// row is its identifier, its kind, the number of its entity, the list of the indexes of its changed
/// columns, and the list of its former destinations, each after its column.
enum ClusterAnnouncement {
  /// The most rows of a table in a description; more are described as many.
  private static let rowLimit = 1000

  fileprivate static let kinds: [RowChange.Kind] = [.insert, .update, .delete]

  static func bytes(_ commits: [CommittedChanges]) -> [UInt8] {
    var cells = PackedCells()
    for commit in commits {
      cells.add(integer: commit.token)
      cells.add(.real(commit.at))
      cells.add(text: commit.author)
      cells.add(integer: commit.connection)
      cells.add(integer: commit.isSchemaChange ? 1 : 0)
      cells.add(list: commit.tables) { cells, table in
        cells.add(text: table.key)
        guard !table.value.isMany, table.value.rows.count <= rowLimit else {
          return cells.add(.null)
        }
        cells.add(list: table.value.rows) { add($1, to: &$0) }
      }
      cells.add(list: commit.links) { cells, table in
        cells.add(text: table.key)
        guard !table.value.isMany, table.value.pairs.count <= rowLimit else {
          return cells.add(.null)
        }
        cells.add(list: table.value.pairs) { cells, pair in
          cells.add(integer: pair.source)
          cells.add(integer: pair.target)
        }
      }
    }
    return cells.bytes
  }

  private static func add(_ row: RowChange, to cells: inout PackedCells) {
    cells.add(integer: row.identifier)
    cells.add(integer: Int64(kinds.firstIndex(of: row.kind) ?? 0))
    cells.add(integer: Int64(row.entityNumber))
    cells.add(list: row.columns.indices) { $0.add(integer: Int64($1)) }
    cells.add(list: row.oldReferences) { cells, reference in
      cells.add(integer: Int64(reference.key))
      cells.add(integer: reference.value)
    }
  }

  /// Reads the transactions of a commit, up to bytes that can't be read.
  ///
  /// Rows of an unknown kind count as many changed rows.
  static func read(_ bytes: some Sequence<UInt8>) -> [CommittedChanges] {
    Array(bytes).withUnsafeBytes { bytes in
      var reader = Reader(bytes: bytes)
      var commits: [CommittedChanges] = []
      while let commit = try? reader.commit() { commits.append(commit) }
      return commits
    }
  }

  fileprivate struct Damage: Error {}

  fileprivate struct Reader {
    let bytes: UnsafeRawBufferPointer
    var offset = 0
  }
}

extension ClusterAnnouncement.Reader {
  fileprivate mutating func commit() throws(ClusterAnnouncement.Damage) -> CommittedChanges {
    var commit = CommittedChanges(token: try integer(), at: 0)
    if case .real(let time) = try next() { commit.at = time }
    commit.author = try text()
    commit.connection = try integer()
    commit.isSchemaChange = try integer() == 1
    _ = try list { reader throws(ClusterAnnouncement.Damage) in
      guard let name = try reader.text() else { return }
      let rows = try reader.list { reader throws(ClusterAnnouncement.Damage) in try reader.row() }
      let changes = rows?.compactMap(\.self)
      let isMany = changes == nil || changes?.count != rows?.count
      commit.tables[name] = TableChanges(rows: isMany ? [] : changes ?? [], isMany: isMany)
    }
    _ = try list { reader throws(ClusterAnnouncement.Damage) in
      guard let name = try reader.text() else { return }
      let pairs = try reader.list { reader throws(ClusterAnnouncement.Damage) in
        (source: try reader.integer(), target: try reader.integer())
      }
      commit.links[name] = LinkRows(pairs: pairs ?? [], isMany: pairs == nil)
    }
    return commit
  }

  /// Reads a row; `nil` if its kind is unknown.
  private mutating func row() throws(ClusterAnnouncement.Damage) -> RowChange? {
    let (identifier, kind, number) = (try integer(), try integer(), try integer())
    let columns = try list { reader throws(ClusterAnnouncement.Damage) in Int(try reader.integer())
    }
    let references = try list { reader throws(ClusterAnnouncement.Damage) in
      (Int(try reader.integer()), try reader.integer())
    }
    let kinds = ClusterAnnouncement.kinds
    guard kinds.indices.contains(Int(kind)) else { return nil }
    var row = RowChange(identifier: identifier, kind: kinds[Int(kind)], entityNumber: Int(number))
    row.columns = ColumnSet(columns ?? [])
    row.oldReferences = Dictionary(references ?? []) { $1 }
    return row
  }

  /// Reads a list; `nil` if null is in its place.
  private mutating func list<Element>(
    _ element: (inout Self) throws(ClusterAnnouncement.Damage) -> Element
  ) throws(ClusterAnnouncement.Damage) -> [Element]? {
    guard case .integer(let count) = try next() else { return nil }
    var elements: [Element] = []
    for _ in 0..<max(0, count) { elements.append(try element(&self)) }
    return elements
  }

  private mutating func integer() throws(ClusterAnnouncement.Damage) -> Int64 {
    guard case .integer(let value) = try next() else { throw ClusterAnnouncement.Damage() }
    return value
  }

  private mutating func text() throws(ClusterAnnouncement.Damage) -> String? {
    guard case .text(let bytes) = try next() else { return nil }
    return String(decoding: bytes, as: UTF8.self)
  }

  private mutating func next() throws(ClusterAnnouncement.Damage) -> Cell {
    guard let cell = PackedCells.next(in: bytes, &offset) else {
      throw ClusterAnnouncement.Damage()
    }
    return cell
  }
}

extension PackedCells {
  fileprivate mutating func add(integer value: Int64) { add(.integer(value)) }

  fileprivate mutating func add(text: String?) {
    guard var text else { return add(.null) }
    text.withUTF8 { add(.text($0)) }
  }

  fileprivate mutating func add<Elements: Collection>(
    list: Elements,
    _ element: (inout PackedCells, Elements.Element) -> Void
  ) {
    add(integer: Int64(list.count))
    for part in list { element(&self, part) }
  }
}
