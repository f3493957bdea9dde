/// What several changes of one row come to.
struct CoalescedRow {
  enum Kind {
    case update
    case delete
  }

  var identifier: Int64
  /// The number of the row's entity.
  var entity: Int
  var kind: Kind
  /// The row's version: after an update, before a deletion.
  var version: Int64
  /// Which of the collected values are the row's; those of an update are really different, a deletion has
  /// only old ones.
  private(set) var values: Range<Int>
  /// Whether the values of a deletion were kept.
  var hasValues = true

  /// A column, with where the arena has its values.
  struct Value {
    var place: Int
    var old: Int
    var new: Int
  }

  /// - Parameters:
  ///   - entries: The changes of one row that the request didn't insert, in the order in which they
  ///     happened; at least one. Only the last can be a deletion.
  ///   - arena: What has their values.
  ///   - collected: Where the row's values are added.
  init(
    _ entries: ArraySlice<JournalEntry>,
    _ arena: borrowing ChangeArena,
    into collected: inout [Value]
  ) {
    let first = entries[entries.startIndex]
    let last = entries[entries.endIndex - 1]
    let start = collected.count
    identifier = first.row
    entity = first.entity
    kind = last.kind == .delete ? .delete : .update
    version = last.kind == .delete ? first.versions.old : last.versions.new
    if last.kind == .delete { hasValues = last.values != nil }
    if entries.count == 1 {
      Self.forEachValue(of: first, arena) { collected.append($0) }
    } else {
      var merged: [Int: Value] = [:]
      for entry in entries where entry.kind == .update {
        Self.forEachValue(of: entry, arena) { merged[$0.place, default: $0].new = $0.new }
      }
      if kind == .delete {
        Self.forEachValue(of: last, arena) { collected.append(merged[$0.place] ?? $0) }
      } else {
        collected += merged.values.filter { !arena.areEqual($0.old, $0.new) }
          .sorted { $0.place < $1.place }
      }
    }
    values = start..<collected.count
  }

  @inline(__always)
  private static func forEachValue(
    of entry: JournalEntry,
    _ arena: borrowing ChangeArena,
    _ body: (Value) -> Void
  ) {
    guard var offset = entry.values else { return }
    for _ in 0..<arena.number(&offset) {
      let place = arena.number(&offset)
      let old = offset
      offset = arena.end(of: offset)
      let new = offset
      if entry.kind == .update { offset = arena.end(of: offset) }
      body(Value(place: place, old: old, new: new))
    }
  }
}

/// What several changes of one link come to.
struct CoalescedLink {
  enum Kind {
    case add
    case remove
    case reorder
  }

  var source: Int64
  var target: Int64
  var kind: Kind

  /// - Parameters:
  ///   - entries: The changes of one link, in the order in which they happened; at least one.
  ///   - isOrdered: Whether the table has orders; the result is `nil` if the link is as it was.
  init?(_ entries: some RandomAccessCollection<JournalEntry>, isOrdered: Bool) {
    let first = entries[entries.startIndex]
    let wasThere = first.kind != .link
    let isThere = entries[entries.index(before: entries.endIndex)].kind != .unlink
    guard wasThere != isThere || wasThere && isOrdered else { return nil }
    source = first.row
    target = first.target
    kind = wasThere ? (isThere ? .reorder : .remove) : .add
  }
}
