/// The pages of a copy that the cluster hasn't got as they are now, but for the commits that have changed them.
struct ClusterDebt {
  /// The commit as of which the cluster has all pages, as far as is known.
  private(set) var base: Int64
  /// About how many bytes the commits after ``base`` have.
  private(set) var bytes = 0
  /// The pages that were changed since a commit as of which the cluster had all pages, and that commit.
  private var changed: Set<UInt32> = []
  private var since: Int64
  private var isBeingWritten = false

  /// Begins with a copy that is as the pages in the cluster are.
  init(base: Int64) {
    self.base = base
    since = base
  }

  /// Learns as of which commit the cluster has all pages.
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

  /// Returns the pages that are to be written into the cluster now; `nil` if none are.
  ///
  /// There are no others before ``didWrite(_:missing:)`` tells what became of these: a base that was written without
  /// pages that an earlier one should have written would be one of a store that never was.
  ///
  /// - Parameters:
  ///   - path: The file of the copy.
  ///   - sequence: Its last commit.
  ///   - identity: The random number by which that is known.
  ///   - step: How many bytes of commits there are from base to base.
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

  /// Learns as of which commit pages were written, or of the pages that weren't.
  mutating func didWrite(_ sequence: Int64?, missing pages: Set<UInt32>) {
    isBeingWritten = false
    since = sequence ?? since
    changed.formUnion(pages)
  }
}
