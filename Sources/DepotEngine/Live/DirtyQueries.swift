/// The watched queries with changes that weren't sent to their clients yet.
///
/// Queries mark themselves as members, so that adding and removing one needs no hashing: both
/// happen for each watch at each commit.
struct DirtyQueries {
  /// The members, and the queries removed since the last call of ``all()``.
  private var list: [LiveQuery] = []
  private var count = 0

  var isEmpty: Bool { count == 0 }

  mutating func insert(_ query: LiveQuery) {
    guard !query.isDirty else { return }
    query.isDirty = true
    count += 1
    guard !query.isListedAsDirty else { return }
    query.isListedAsDirty = true
    list.append(query)
  }

  mutating func remove(_ query: LiveQuery) {
    guard query.isDirty else { return }
    query.isDirty = false
    count -= 1
  }

  /// Removes a query that ends, and the reference to it.
  mutating func forget(_ query: LiveQuery) {
    remove(query)
    guard query.isListedAsDirty else { return }
    query.isListedAsDirty = false
    list.removeAll { $0 === query }
  }

  /// Returns all members.
  mutating func all() -> [LiveQuery] {
    if count < list.count {
      list.removeAll { query in
        query.isListedAsDirty = query.isDirty
        return !query.isDirty
      }
    }
    return list
  }
}
