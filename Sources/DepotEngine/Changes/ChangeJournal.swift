/// One change of a row as it happened; insertions are kept as ranges instead.
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
  /// The row's identifier; a link's source.
  var row: Int64
  /// A link's target.
  var target: Int64 = 0
  /// The row's version before and afterwards.
  var versions: (old: Int64, new: Int64) = (0, 0)
  /// Where the values are in the arena: how many columns there are, and for each its place and its value
  /// before, for an update also that afterwards; `nil` if there are none.
  var values: Int?
}

/// The changes of a request as they happened, in memory.
struct ChangeJournal {
  /// How many changes, and how many bytes of values, are kept before they are written into the history.
  static let entryLimit = 16_384
  static let byteLimit = 4 << 20

  var entries: [JournalEntry] = []
  var arena = PackedCells()

  var isFull: Bool { entries.count >= Self.entryLimit || arena.count >= Self.byteLimit }

  /// Forgets everything, and gives up memory if it is much, unless more comes at once.
  mutating func removeAll(goesOn: Bool = false) {
    entries.removeAll(keepingCapacity: goesOn || entries.capacity < 2048)
    arena.removeAll(goesOn: goesOn)
  }
}
