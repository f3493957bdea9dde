/// The pages that have changed in a local copy since they were last written into the cluster.
struct ClusterDebt {
  /// The last commit whose pages are all in the cluster.
  private(set) var base: Int64
  /// The approximate size in bytes of the commits after ``base``.
  private(set) var bytes = 0
  /// The pages changed since a commit with all pages in the cluster, and that commit.
  private var changed: Set<UInt32> = []
  private var since: Int64
  private var isBeingWritten = false

  /// Starts with a copy whose pages equal those in the cluster.
  init(base: Int64) {
    self.base = base
    since = base
  }

  /// Sets the commit whose pages are all in the cluster.
  ///
  /// It may be an earlier one than before, if a standby took over.
  mutating func note(base: Int64) {
    // The pages that the new base includes are unknown here, so ``changed`` keeps them.
    if base > self.base { bytes = 0 }
    self.base = base
  }

  /// Adds the pages of a commit or of a part of it.
  mutating func add(_ pages: some Sequence<UInt32>, bytes: Int) {
    self.bytes += bytes
    changed.formUnion(pages)
  }

  /// Returns the pages to write into the cluster now; `nil` if there are none.
  ///
  /// Until ``didWrite(_:missing:)`` reports the outcome, it returns no more: a base that lacks
  /// pages which an earlier one failed to write would be a state that the store never had.
  ///
  /// - Parameters:
  ///   - path: The path of the copy.
  ///   - sequence: Its last commit.
  ///   - identity: The random identity of that commit.
  ///   - step: The size in bytes of commits after which a new base is written.
  /// - Returns: The pages.
  mutating func take(
    of path: String,
    _ sequence: Int64,
    _ identity: Int64,
    step: Int
  ) -> sending ClusterBase? {
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

  /// Sets the commit whose pages were written, or adds the pages that weren't written.
  mutating func didWrite(_ sequence: Int64?, missing pages: Set<UInt32>) {
    isBeingWritten = false
    since = sequence ?? since
    changed.formUnion(pages)
  }
}
