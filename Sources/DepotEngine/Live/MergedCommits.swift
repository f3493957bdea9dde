internal import DepotProtocol

/// Commits that came while others were looked at, put together as far as watches can't tell them apart.
///
/// Watches are told of rows as they are now, and of who changed them, so that the order of changes doesn't
/// matter.
struct MergedCommits {
  private var commits: [Source: CommittedChanges] = [:]

  private struct Source: Hashable {
    var connection: Int64
    var author: String?
  }

  /// Adds a commit that doesn't change the schema.
  mutating func add(_ commit: CommittedChanges) {
    let source = Source(connection: commit.connection, author: commit.author)
    guard var merged = commits.removeValue(forKey: source) else {
      commits[source] = commit
      return
    }
    merged.token = max(merged.token, commit.token)
    for (name, changes) in commit.tables {
      guard merged.tables[name] != nil else {
        merged.tables[name] = changes
        continue
      }
      merged.tables[name]?.formUnion(changes)
    }
    for (name, rows) in commit.links {
      guard merged.links[name] != nil else {
        merged.links[name] = rows
        continue
      }
      merged.links[name]?.pairs += rows.pairs
      if rows.isMany { merged.links[name]?.isMany = true }
    }
    commits[source] = merged
  }

  /// Takes all out, by their tokens.
  mutating func takeAll() -> [CommittedChanges] {
    defer { commits = [:] }
    return commits.values.sorted { $0.token < $1.token }
  }
}

extension TableChanges {
  /// Adds the changes of another transaction; a row may be listed more than once then.
  fileprivate mutating func formUnion(_ other: TableChanges) {
    rows += other.rows
    isMany = isMany || other.isMany
    // Columns that aren't known of all rows aren't known.
    if keyPlaces != other.keyPlaces { keyPlaces = PlaceSet() }
  }
}
