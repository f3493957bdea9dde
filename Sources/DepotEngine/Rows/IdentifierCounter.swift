/// The source of an entity's identifiers, which never repeat.
///
/// The store has a number above all assigned identifiers, a block ahead, so that most commits
/// needn't update it.
final class IdentifierCounter {
  /// The number of identifiers reserved in advance; 0 if other services may assign the next one.
  private let block: Int64
  let entity: String
  /// The next identifier.
  private(set) var next: Int64
  /// The greatest identifier that is reserved in the store.
  private(set) var ceiling: Int64
  /// The first identifier that the current request may have assigned.
  private var firstOfRequest: Int64

  init(entity: String, ceiling: Int64, block: Int64) {
    self.entity = entity
    self.block = block
    next = ceiling
    self.ceiling = ceiling
    firstOfRequest = ceiling
  }

  /// Starts a new request.
  func beginRequest() { firstOfRequest = next }

  /// Whether an identifier was assigned by the current request.
  func isNew(_ identifier: Int64) -> Bool { identifier >= firstOfRequest }

  func take() -> Int64 {
    defer { next += 1 }
    return next
  }

  /// The identifier up to which to reserve before the commit; `nil` if that needn't change.
  var wantedCeiling: Int64? { next > ceiling ? next + block : nil }

  /// Continues with the identifiers reserved by another service of the store.
  func goOn(at ceiling: Int64) {
    (next, self.ceiling, firstOfRequest) = (ceiling, ceiling, ceiling)
  }

  /// Records that the store has reserved identifiers up to `ceiling`.
  func didStore(_ ceiling: Int64) {
    self.ceiling = ceiling
  }
}
