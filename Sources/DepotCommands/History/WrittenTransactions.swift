internal import DepotProtocol

/// A count of the transactions that a command has written, for its error messages.
final class WrittenTransactions {
  /// Whether the newest comes first.
  let isDescending: Bool
  /// The number of begun transactions; further pieces of the last one may follow.
  private var count = 0
  private var last: HistoryToken?
  private var beforeLast: HistoryToken?

  init(isDescending: Bool) { self.isDescending = isDescending }

  /// Notes a written transaction, or the next piece of one.
  func note(_ token: HistoryToken) {
    guard token != last else { return }
    (beforeLast, last) = (last, token)
    count += 1
  }

  /// Returns an error that says how many transactions were written before it, and how to continue.
  ///
  /// Of an output that failed nobody knows how much of the buffer it has.
  func reporting(_ error: DepotError, in output: ByteSink) -> DepotError {
    guard !output.hasFailed, let last, let beforeLast else { return error }
    var error = error
    error.message += " \(Numbers.counted(count - 1, "transaction")) before it were written whole."
    guard [.disconnected, .streamExpired, .outboundTooLarge].contains(error.code) else {
      return error
    }
    let option = isDescending ? "--until \(last)" : "--since \(beforeLast)"
    return error.hint("The same command with \(option) writes the rest.")
  }

  /// Runs `body`, which writes transactions and notes them.
  static func reporting<Result>(
    isDescending: Bool,
    in output: ByteSink,
    _ body: (WrittenTransactions) throws -> Result
  ) throws -> Result {
    let written = WrittenTransactions(isDescending: isDescending)
    do {
      return try body(written)
    } catch let error as DepotError {
      throw written.reporting(error, in: output)
    }
  }
}
