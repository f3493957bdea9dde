internal import CDepotSQLite
internal import Synchronization

/// The table or index that a page belongs to.
package struct PageOwner: Hashable, Sendable {
  package enum Kind: Sendable {
    case table
    case index
    /// The page is free.
    case none
  }

  package var kind: Kind
  /// The name of the table or index.
  package var name: String
  /// The table; for an index, the table that it belongs to.
  package var table: String
  /// The range of identifiers of the rows that may be in the page; `nil` for any.
  package var rows: ClosedRange<Int64>?
}

extension PageOwner {
  /// Finds the table or index of a page, without reading the page itself.
  ///
  /// It reads the inner pages of the trees, and to follow long values at most as many pages again.
  static func find(_ number: UInt32, in database: OpaquePointer?) -> PageOwner? {
    guard let pages = PageReader(database) else { return nil }
    if let known = pages.database.owners.withLock({ $0[number] }) { return known }
    var search = PageSearch(number, in: database, pages)
    let owner = search.run()
    if let owner { pages.database.owners.withLock { $0[number] = owner } }
    return owner
  }
}

/// A search for the tree that contains a page (sqlite.org/fileformat.html#b_tree_pages).
private struct PageSearch {
  private let target: UInt32
  private let database: OpaquePointer?
  private let pages: PageReader
  private var size: Int { pages.size }
  /// The number of pages that may still be read to follow long values.
  private var budget = 4096

  private struct Tree {
    var owner: PageOwner
    var root: UInt32
  }

  /// A page that is still to be searched.
  private struct PendingPage {
    var page: UInt32
    var rows: ClosedRange<Int64>
  }

  init(_ target: UInt32, in database: OpaquePointer?, _ pages: PageReader) {
    self.target = target
    self.database = database
    self.pages = pages
  }

  mutating func run() -> PageOwner? {
    let schema = PageOwner(kind: .table, name: "sqlite_schema", table: "sqlite_schema", rows: nil)
    if target == 1 { return schema }
    let trees = [Tree(owner: schema, root: 1)] + self.trees()
    var leaves: [(Tree, [PendingPage])] = []
    for tree in trees {
      var found: [PendingPage] = []
      if var owner = walk(tree, &found) {
        if owner.kind == .index { owner.rows = nil }
        return owner
      }
      leaves.append((tree, found))
    }
    if isFree() { return PageOwner(kind: .none, name: "", table: "", rows: nil) }
    for (tree, places) in leaves where tree.owner.kind == .table {
      for place in places {
        guard budget > 0 else { return nil }
        if let row = rowWithLongValue(in: place.page) {
          var owner = tree.owner
          owner.rows = row...row
          return owner
        }
      }
    }
    return nil
  }

  // MARK: Trees

  /// The trees of all tables and indexes.
  private func trees() -> [Tree] {
    let sql = "SELECT type, name, tbl_name, rootpage FROM sqlite_schema WHERE rootpage > 1"
    var statement: OpaquePointer?
    guard sqlite3_prepare_v2(database, sql, -1, &statement, nil) == SQLITE_OK else { return [] }
    defer { sqlite3_finalize(statement) }
    var result: [Tree] = []
    while sqlite3_step(statement) == SQLITE_ROW {
      func text(_ column: Int32) -> String {
        sqlite3_column_text(statement, column).map { String(cString: $0) } ?? ""
      }
      let owner = PageOwner(
        kind: text(0) == "index" ? .index : .table,
        name: text(1),
        table: text(2),
        rows: nil
      )
      result.append(
        Tree(owner: owner, root: UInt32(truncatingIfNeeded: sqlite3_column_int64(statement, 3)))
      )
    }
    return result
  }

  /// Searches the children of a tree's inner pages for the page, and collects the tree's leaves.
  private func walk(_ tree: Tree, _ leaves: inout [PendingPage]) -> PageOwner? {
    var owner = tree.owner
    if tree.root == target { return owner }
    var waiting = [PendingPage(page: tree.root, rows: .min ... .max)]
    var seen: Set<UInt32> = []
    while let place = waiting.popLast() {
      // A manipulated file may contain cycles.
      guard seen.insert(place.page).inserted else { continue }
      guard let page = pages.page(place.page) else { continue }
      let start = place.page == 1 ? DatabaseHeader.size : 0
      guard let children = children(of: page, at: start, place.rows) else {
        leaves.append(place)
        continue
      }
      if let child = children.first(where: { $0.page == target }) {
        owner.rows = child.rows
        return owner
      }
      // All leaves are equally deep, so they needn't be read to know that they are leaves.
      let isLowest = children.first.flatMap { pages.page($0.page) }.map { $0[0] > 8 } ?? false
      if isLowest { leaves += children } else { waiting += children.reversed() }
    }
    return nil
  }

  /// Returns the children of a page; `nil` if it is a leaf.
  private func children(
    of page: [UInt8],
    at start: Int,
    _ rows: ClosedRange<Int64>
  ) -> [PendingPage]? {
    guard page[start] == 2 || page[start] == 5 else { return nil }
    let count = Int(page.number(at: start + 3, size: 2))
    var result: [PendingPage] = []
    var first = rows.lowerBound
    for cell in 0..<count {
      let offset = Int(page.number(at: start + 12 + cell * 2, size: 2))
      guard offset + 13 <= page.count else { continue }
      var last = rows.upperBound
      if page[start] == 5 { last = max(first, page.varint(at: offset + 4).value) }
      result.append(
        PendingPage(page: UInt32(page.number(at: offset, size: 4)), rows: first...last)
      )
      if page[start] == 5, last < .max { first = last + 1 }
    }
    let rest = max(first, rows.upperBound)
    result.append(
      PendingPage(page: UInt32(page.number(at: start + 8, size: 4)), rows: first...rest)
    )
    return result
  }

  // MARK: Free pages and long values

  private func isFree() -> Bool {
    guard let first = pages.page(1) else { return false }
    var trunk = UInt32(first.number(at: 32, size: 4))
    for _ in 0..<4096 where trunk != 0 {
      if trunk == target { return true }
      guard let page = pages.page(trunk) else { return false }
      let count = min(Int(page.number(at: 4, size: 4)), size / 4 - 2)
      for place in 0..<count where page.number(at: 8 + place * 4, size: 4) == UInt64(target) {
        return true
      }
      trunk = UInt32(page.number(at: 0, size: 4))
    }
    return false
  }

  /// Returns the row in a leaf whose long value continues in the searched page.
  private mutating func rowWithLongValue(in leaf: UInt32) -> Int64? {
    budget -= 1
    guard let page = pages.page(leaf), page[0] == 13 else { return nil }
    let usable = size - PageChecksum.size
    for cell in 0..<Int(page.number(at: 3, size: 2)) {
      let offset = Int(page.number(at: 8 + cell * 2, size: 2))
      guard offset + 18 <= page.count else { continue }
      let (payload, payloadSize) = page.varint(at: offset)
      let (row, rowSize) = page.varint(at: offset + payloadSize)
      guard payload > usable - 35 else { continue }
      let least = (usable - 12) * 32 / 255 - 23
      let wanted = least + (Int(payload) - least) % (usable - 4)
      let inside = wanted <= usable - 35 ? wanted : least
      let end = offset + payloadSize + rowSize + inside
      guard end + 4 <= page.count else { continue }
      var next = UInt32(page.number(at: end, size: 4))
      while next != 0, budget > 0 {
        if next == target { return row }
        budget -= 1
        guard let more = pages.page(next) else { break }
        next = UInt32(more.number(at: 0, size: 4))
      }
    }
    return nil
  }
}

extension [UInt8] {
  /// Reads a big-endian integer of `size` bytes.
  fileprivate func number(at offset: Int, size: Int) -> UInt64 {
    guard offset + size <= count else { return 0 }
    return self[offset..<offset + size].reduce(0) { $0 << 8 | UInt64($1) }
  }

  /// Reads an integer of variable length, 1 to 9 bytes (sqlite.org/fileformat.html#varint).
  fileprivate func varint(at offset: Int) -> (value: Int64, size: Int) {
    var value: UInt64 = 0
    for place in 0..<9 where offset + place < count {
      let byte = self[offset + place]
      if place == 8 { return (Int64(bitPattern: value << 8 | UInt64(byte)), 9) }
      value = value << 7 | UInt64(byte & 0x7F)
      if byte < 0x80 { return (Int64(bitPattern: value), place + 1) }
    }
    return (Int64(bitPattern: value), 9)
  }
}
