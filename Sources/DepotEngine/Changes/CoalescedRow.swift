/// Several changes of one row, combined.
struct CoalescedRow {
  var identifier: Int64
  /// The number of the row's entity.
  var entity: Int
  /// An update or a deletion.
  var kind: RowChange.Kind
  /// The row's version: after an update, before a deletion.
  var version: Int64
  /// The range of the row's values among all collected ones.
  ///
  /// The old and new values of an update differ; a deletion has only old values.
  private(set) var values: Range<Int>

  /// A column, with the offsets of its values in the arena.
  struct ColumnValues {
    var column: Int
    var old: Int
    var oldEnd: Int
    var new: Int
    var newEnd: Int

    /// Replaces the new value by the new value of a later change.
    mutating func setNew(_ other: ColumnValues) { (new, newEnd) = (other.new, other.newEnd) }
  }

  /// Combines one or more changes of a row that the request didn't insert, in their order.
  ///
  /// Only the last one can be a deletion.
  init(
    _ entries: ArraySlice<JournalEntry>,
    _ arena: borrowing PackedCells,
    into collected: inout [ColumnValues]
  ) {
    let first = entries[entries.startIndex]
    let last = entries[entries.endIndex - 1]
    let start = collected.count
    identifier = first.row
    entity = first.entity
    kind = last.kind == .delete ? .delete : .update
    version = last.kind == .delete ? first.versions.old : last.versions.new
    if entries.count == 1 {
      Self.forEachValue(of: first, arena) { collected.append($0) }
    } else {
      var merged: [Int: ColumnValues] = [:]
      for entry in entries where entry.kind == .update {
        Self.forEachValue(of: entry, arena) { merged[$0.column, default: $0].setNew($0) }
      }
      if kind == .delete {
        Self.forEachValue(of: last, arena) { collected.append(merged[$0.column] ?? $0) }
      } else {
        collected += merged.values.filter { !arena.areEqual($0.old, $0.new) }
          .sorted { $0.column < $1.column }
      }
    }
    values = start..<collected.count
  }

  @inline(__always)
  private static func forEachValue(
    of entry: JournalEntry,
    _ arena: borrowing PackedCells,
    _ body: (ColumnValues) -> Void
  ) {
    guard var offset = entry.values else { return }
    for _ in 0..<arena.number(&offset) {
      let column = arena.number(&offset)
      let old = offset
      let new = arena.end(of: offset)
      offset = entry.kind == .update ? arena.end(of: new) : new
      body(ColumnValues(column: column, old: old, oldEnd: new, new: new, newEnd: offset))
    }
  }
}
