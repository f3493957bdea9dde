internal import DepotProtocol

/// The rules that the rows of a request break.
struct ViolationList {
  /// The most violations that are reported.
  static let limit = 100

  private(set) var errors: [DepotError] = []

  /// Adds an error, and throws all of them if the list is full.
  mutating func add(_ error: DepotError) throws(DepotError) {
    errors.append(error)
    if errors.count >= Self.limit { try throwIfAny() }
  }

  /// Throws the only error, or one with a list of all.
  func throwIfAny() throws(DepotError) {
    if let error = combined { throw error }
  }

  private var combined: DepotError? {
    guard let first = errors.first, errors.count > 1 else { return errors.first }
    let count = errors.count < Self.limit ? "\(errors.count)" : "At least \(errors.count)"
    var error = DepotError(
      .violations,
      "\(count) rules are broken. The first: \(first.message)",
      hint: "See the details for all of them."
    )
    error.at = first.at
    return error.detail("count", Int64(errors.count)).detail(violations: errors)
  }

  /// Removes the errors added since there were `count`, and returns them as one.
  mutating func take(since count: Int) -> DepotError? {
    guard errors.count > count else { return nil }
    var part = ViolationList()
    part.errors = Array(errors[count...])
    errors.removeSubrange(count...)
    return part.combined
  }
}
