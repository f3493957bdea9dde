/// The closures of a context's transactions, which may run inside of each other.
struct RunningTransactions {
  private var depth = 0
  /// The first error of a transaction inside of another one.
  var failure: (any Error)?

  /// Begins a transaction; returns whether it is inside of no other.
  mutating func begin() -> Bool {
    depth += 1
    return depth == 1
  }

  /// Records the error of a transaction inside of another one, which fails too then.
  mutating func fail(_ error: any Error) { failure = failure ?? error }

  mutating func end() {
    depth -= 1
    if depth == 0 { failure = nil }
  }
}
