import TestSupport
import Testing

@testable import DepotEngine

/// The news of a commit for services that didn't make it.
@Suite struct ClusterAnnouncementTests {
  @Test(arguments: seeds(20) as Range<UInt64>)
  func `what is read is what was written`(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    let commits = (0..<Int.random(in: 0...5, using: &random)).map { _ in Self.commit(&random) }
    let read = ClusterAnnouncement.read(ClusterAnnouncement.bytes(commits))
    #expect(read.map(Self.text) == commits.map(Self.text), "seed \(seed)")
  }

  @Test func `many rows are told as any`() {
    var commit = CommittedChanges(token: 1, at: 0)
    let rows = (1...1001).map { RowChange(identifier: $0, kind: .insert, entityNumber: 1) }
    commit.tables["Item"] = TableChanges(rows: rows)
    #expect(
      ClusterAnnouncement.read(ClusterAnnouncement.bytes([commit])).first?.tables["Item"]?.isMany
        == true
    )
  }

  @Test func `rows that can't be understood are told as any`() throws {
    var cells = PackedCells()
    for value: Cell in [.integer(3), .real(0), .null, .integer(0), .integer(0)] { cells.add(value) }
    // A table with a row of kind 9, and a join table with null in the place of its rows.
    let item = Array("Item".utf8)
    cells.add(.integer(1))
    item.withUnsafeBufferPointer { cells.add(.text($0)) }
    for number: Int64 in [1, 1, 9, 1, 0, 0] { cells.add(.integer(number)) }
    cells.add(.integer(1))
    item.withUnsafeBufferPointer { cells.add(.text($0)) }
    cells.add(.null)
    let commit = try #require(ClusterAnnouncement.read(cells.bytes).first)
    #expect(commit.token == 3)
    #expect(commit.tables["Item"]?.isMany == true)
    #expect(commit.links["Item"]?.isMany == true)
  }

  @Test func `bytes that can't be read end the news`() {
    let commit = CommittedChanges(token: 1, at: 0)
    let bytes = ClusterAnnouncement.bytes([commit, commit])
    #expect(ClusterAnnouncement.read(bytes.dropLast()).map(\.token) == [1])
    #expect(ClusterAnnouncement.read(#"[{"token":3}]"#.utf8).isEmpty)
  }

  private static func commit(_ random: inout SeededGenerator) -> CommittedChanges {
    var commit = CommittedChanges(
      token: .random(in: 1...1000, using: &random),
      at: Double(Int.random(in: 0...1000, using: &random)) / 8,
      author: random.once(in: 2) ? "the \"author\"" : nil,
      connection: .random(in: 0...(1 << 40), using: &random)
    )
    commit.isSchemaChange = random.once(in: 5)
    for name in ["Item", "Tag"] where random.once(in: 2) {
      let rows = (0..<Int.random(in: 0...4, using: &random)).map { _ in row(&random) }
      commit.tables[name] =
        random.once(in: 4) ? TableChanges(isMany: true) : TableChanges(rows: rows)
    }
    if random.once(in: 2) {
      commit.links["j_tags"] = LinkRows(pairs: [(1, .random(in: 1...9, using: &random))])
    }
    return commit
  }

  private static func row(_ random: inout SeededGenerator) -> RowChange {
    var row = RowChange(
      identifier: .random(in: 1...(.max), using: &random),
      kind: [.insert, .update, .delete].randomElement(using: &random) ?? .insert,
      entityNumber: .random(in: 1...9, using: &random)
    )
    row.columns = ColumnSet((0..<3).map { _ in Int.random(in: 0...130, using: &random) })
    if random.once(in: 2) { row.oldReferences = [4: 7, 70: .max] }
    return row
  }

  private static func text(_ commit: CommittedChanges) -> String {
    let tables = commit.tables.sorted { $0.key < $1.key }.map { name, changes in
      "\(name) \(changes.isMany) \(changes.rows.map(text))"
    }
    let links = commit.links.map { "\($0.key) \($0.value.isMany) \($0.value.pairs)" }
    return "\(commit.token) \(commit.at) \(commit.author ?? "-") \(commit.connection) "
      + "\(commit.isSchemaChange) \(tables) \(links)"
  }

  private static func text(_ row: RowChange) -> String {
    let references = row.oldReferences.sorted { $0.key < $1.key }
    return "\(row.identifier) \(row.kind) \(row.entityNumber) \(row.columns.indices) \(references)"
  }
}
