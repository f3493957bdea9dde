/// The pages of a copy that the cluster hasn't got as they are now, but for the commits that have changed them.
struct ClusterDebt {
  /// The last commit known to have all of its pages in the cluster.
  private(set) var base: Int64
  /// About how many bytes the commits after ``base`` have.
  private(set) var bytes = 0
  /// The pages changed since a commit with all pages in the cluster, and that commit.
  private var changed: Set<UInt32> = []
  private var since: Int64
  private var isBeingWritten = false

  /// Begins with a copy that is as the pages in the cluster are.
  init(base: Int64) {
    self.base = base
    since = base
  }

  /// Notes the commit up to which the cluster has all pages.
  ///
  /// It may be an earlier one than before, if a standby took over.
  mutating func note(base: Int64) {
    // Pages that are as of the base needn't be written into it again; which they are isn't known.
    if base > self.base { bytes = 0 }
    self.base = base
  }

  /// Adds pages that a commit has changed, or a part of it.
  mutating func add(_ pages: some Sequence<UInt32>, bytes: Int) {
    self.bytes += bytes
    changed.formUnion(pages)
  }

  /// Returns the pages to write into the cluster now; `nil` if there are none.
  ///
  /// After this there are none before ``didWrite(_:missing:)`` reports the outcome: a base without
  /// pages that an earlier one failed to write would show a state that the store never had.
  ///
  /// - Parameters:
  ///   - path: The file of the copy.
  ///   - sequence: Its last commit.
  ///   - identity: The random number that identifies the commit.
  ///   - step: The bytes of commits after which a new base is written.
  /// - Returns: The pages.
  mutating func take(
    of path: String,
    _ sequence: Int64,
    _ identity: Int64,
    step: Int
  ) -> ClusterBase? {
    guard bytes > step, !isBeingWritten else { return nil }
    bytes = 0
    guard
      let pages = try? ClusterBase(
        path: path,
        sequence: sequence,
        identity: identity,
        since: since,
        changed: changed
      )
    else { return nil }
    changed = []
    isBeingWritten = true
    return pages
  }

  /// Notes the commit up to which pages were written, or the pages that weren't written.
  mutating func didWrite(_ sequence: Int64?, missing pages: Set<UInt32>) {
    isBeingWritten = false
    since = sequence ?? since
    changed.formUnion(pages)
  }
}
