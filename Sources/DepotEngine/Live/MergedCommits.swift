internal import DepotProtocol

/// Commits combined for watches, as far as watches need not distinguish them.
///
/// Watches send current rows, and the author of the changes, so the order of changes doesn't
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

  /// Removes and returns all, ordered by token.
  mutating func takeAll() -> [CommittedChanges] {
    defer { commits = [:] }
    return commits.values.sorted { $0.token < $1.token }
  }
}

extension TableChanges {
  /// Adds the changes of another transaction; a row may then be listed several times.
  fileprivate mutating func formUnion(_ other: TableChanges) {
    rows += other.rows
    isMany = isMany || other.isMany
    // Values that aren't known for all rows are ignored.
    if keyColumns != other.keyColumns { keyColumns = ColumnSet() }
  }
}
