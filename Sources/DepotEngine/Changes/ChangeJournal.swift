internal import DepotProtocol

/// One recorded change of a row or link; insertions are kept as ranges instead.
struct JournalEntry {
  enum Kind: UInt8 {
    case update
    case delete
    case link
    case unlink
    /// A link got another order.
    case reorder
  }

  /// The number of the table.
  var table: Int
  var kind: Kind
  /// The number of the row's entity.
  var entity = 0
  /// The row's identifier; for a link, the source's.
  var row: Int64
  /// The destination of a link.
  var target: Int64 = 0
  /// The row's version before and after the change.
  var versions: (old: Int64, new: Int64) = (0, 0)
  /// The offset of the values in the arena; `nil` if there are none.
  ///
  /// There is the number of columns, and for each column its index, its old value, and for an
  /// update also the new value.
  var values: Int?
}

/// The changes of a request in memory, in order.
struct ChangeJournal {
  /// The most changes, and the most bytes of values, before they are written to the history.
  static let entryLimit = 16_384
  static let byteLimit = 4 << 20

  var entries: [JournalEntry] = []
  /// The lists that got another order beside their new and lost members.
  var orders: [ListOrder] = []
  var arena = PackedCells()

  var isFull: Bool { entries.count >= Self.entryLimit || arena.count >= Self.byteLimit }

  /// Records that a row's list of a relationship, which `owner` declares, has another order.
  mutating func noteOrder(of row: Int64, _ relationship: String, _ owner: EntityLayout) {
    guard owner.historyPolicy != .none else { return }
    orders.append(ListOrder(owner: owner, relationship: relationship, row: row))
  }

  /// Removes everything, and frees much memory unless more changes are about to be added.
  mutating func removeAll(goesOn: Bool = false) {
    entries.removeAll(keepingCapacity: goesOn || entries.capacity < 2048)
    if !orders.isEmpty { orders = [] }
    arena.removeAll(goesOn: goesOn)
  }
}

/// A row's list of a relationship that got another order.
struct ListOrder {
  /// The entity that declares the relationship.
  var owner: EntityLayout
  var relationship: String
  var row: Int64
}
