/// The last change of the rows of equal watches from one snapshot to another, found once for all of them.
///
/// It is used on the thread of ``LiveQueries``. The rows of a query in a snapshot are the same for all watches, so
/// watches whose clients know the same snapshot get the same difference.
final class SharedRows {
  /// The most rows of a result that watches share.
  ///
  /// The first change of a shared result copies it, which costs more than finding the difference if it is large.
  static let rowLimit = 500

  /// The last step, until all watches that need it were evaluated.
  var step: Step?
  /// The number of steps that were found.
  private(set) var findCount = 0

  /// The difference between two snapshots.
  struct Step {
    /// The tokens of the snapshots.
    let from: Int64
    let to: Int64
    /// The result in the later snapshot.
    let result: LiveResult
    /// The bodies of the frames of the difference, without the ids of the watches; empty if there is none.
    let bodies: [[UInt8]]
  }

  func note(_ step: Step) {
    findCount += 1
    self.step = step
  }
}
