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
  /// The columns with where the arena has their values; those of an update are really different, a deletion
  /// has only old ones.
  var values: [Value] = []
  /// Whether the values of a deletion were kept.
  var hasValues = true

  struct Value {
    var place: Int
    var old: Int
    var new: Int
  }

  /// - Parameters:
  ///   - entries: The changes of one row that the request didn't insert, in the order in which they
  ///     happened; at least one. Only the last can be a deletion.
  ///   - arena: What has their values.
  init(_ entries: some RandomAccessCollection<JournalEntry>, _ arena: borrowing ChangeArena) {
    let first = entries[entries.startIndex]
    let last = entries[entries.index(before: entries.endIndex)]
    identifier = first.row
    entity = first.entity
    kind = last.kind == .delete ? .delete : .update
    version = last.kind == .delete ? first.versions.old : last.versions.new
    if last.kind == .delete { hasValues = last.values != nil }
    if entries.count == 1 {
      values = Self.values(of: first, arena)
      return
    }
    var merged: [Int: Value] = [:]
    for entry in entries where entry.kind == .update {
      for value in Self.values(of: entry, arena) {
        merged[value.place, default: value].new = value.new
      }
    }
    if kind == .delete {
      values = Self.values(of: last, arena).map { merged[$0.place] ?? $0 }
    } else {
      values = merged.values.filter { !arena.areEqual($0.old, $0.new) }
        .sorted { $0.place < $1.place }
    }
  }

  private static func values(
    of entry: JournalEntry,
    _ arena: borrowing ChangeArena
  ) -> [Value] {
    guard var offset = entry.values else { return [] }
    let count = arena.number(&offset)
    var result: [Value] = []
    result.reserveCapacity(count)
    for _ in 0..<count {
      let place = arena.number(&offset)
      let old = offset
      offset = arena.end(of: offset)
      let new = offset
      if entry.kind == .update { offset = arena.end(of: offset) }
      result.append(Value(place: place, old: old, new: new))
    }
    return result
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
