/// The source of an entity's identifiers, which are never given out twice.
///
/// The store holds a number that none of them has reached, a block ahead, so that most commits needn't
/// write it.
final class IdentifierCounter {
  /// How far ahead the store sets identifiers aside; 0 if others may take the next one.
  private let block: Int64
  let entity: String
  /// The next identifier.
  private(set) var next: Int64
  /// The greatest identifier that the store has set aside.
  private(set) var ceiling: Int64
  /// The first identifier that the request may take.
  private var firstOfRequest: Int64

  init(entity: String, ceiling: Int64, block: Int64) {
    self.entity = entity
    self.block = block
    next = ceiling
    self.ceiling = ceiling
    firstOfRequest = ceiling
  }

  /// Notes that later identifiers belong to a new request.
  func beginRequest() { firstOfRequest = next }

  /// Whether an identifier was taken for the request that is being carried out.
  func isNew(_ identifier: Int64) -> Bool { identifier >= firstOfRequest }

  func take() -> Int64 {
    defer { next += 1 }
    return next
  }

  /// The ceiling to store before taken identifiers are committed; `nil` if it stays the same.
  var wantedCeiling: Int64? { next > ceiling ? next + block : nil }

  /// Continues with the ceiling that another service of the store has left.
  func goOn(at ceiling: Int64) {
    (next, self.ceiling, firstOfRequest) = (ceiling, ceiling, ceiling)
  }

  /// Notes that the store holds `ceiling`.
  func didStore(_ ceiling: Int64) {
    self.ceiling = ceiling
  }
}
