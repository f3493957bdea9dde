/// What all watches that ask for the same rows have in common: the last step from one moment to another, found once.
///
/// It lives on the thread of ``LiveQueries``. The rows of a query at a moment are the same for all, so that those who
/// were told of the same moment before get the same difference.
final class SharedRows {
  /// The step that was found last, until all who need it had their turn.
  var step: Step?
  /// How often a step was found.
  private(set) var findCount = 0

  /// A step from what clients know to another moment.
  struct Step {
    /// The moments.
    let from: Int64
    let to: Int64
    /// The result there.
    let result: LiveResult
    /// What the frames say that tell the difference, without the numbers of the watches; empty if there is none.
    let bodies: [[UInt8]]
  }

  func note(_ step: Step) {
    findCount += 1
    self.step = step
  }
}
