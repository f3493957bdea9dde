internal import DepotProtocol
internal import DepotSQLite

/// The work of one writer of a store, as the store knows it.
struct Epoch: Equatable, Sendable {
  /// A random number, which tells it from those of every other past of the store, also of copies.
  let identity: Int64
  /// The last row of the history when it began.
  let began: Int64
  /// By how many seconds the wall clock was ahead of the store's time.
  var ahead: Double
}

/// The epochs of a store in order, used to write and check tokens.
///
/// A token belongs to this store if its epoch is one of these, and its number is at most the
/// epoch's end, where the next epoch began. All stores with an epoch have the same history before a
/// token of it, so comparing numbers tells which token is earlier.
///
/// The chain also gives the time of day of transactions. Each transaction has the store's time, and
/// each epoch records how far the wall clock was ahead of it. The present wall clock counts as
/// right: an epoch with a clock further ahead is treated as if it hadn't been, and so is one with a
/// clock behind an earlier epoch's. Thus times never run backwards, and follow the wall clock as
/// soon as that is corrected.
struct EpochChain: Equatable, Sendable {
  /// The first digits of the store's identifier.
  let store: String
  /// The epochs, at least one; all before the second counts as the first.
  private let epochs: [Epoch]
  /// By how many seconds the time of day of each is ahead of the store's time.
  private let differences: [Double]

  /// Creates the chain of a store with its epochs, the oldest first; tokens are those of stores
  /// before there were epochs if there are none.
  init(store: String, _ epochs: [Epoch]) {
    self.store = String(store.prefix(8))
    self.epochs = epochs.isEmpty ? [Epoch(identity: 0, began: 0, ahead: 0)] : epochs
    let now = self.epochs[self.epochs.count - 1].ahead
    var highest = -Double.infinity
    differences = self.epochs.map { epoch in
      highest = max(highest, min(epoch.ahead, now))
      return highest
    }
  }

  /// Returns the chain with another epoch at its end.
  func adding(_ epoch: Epoch) -> EpochChain { EpochChain(store: store, epochs + [epoch]) }

  /// Returns the token of a transaction, or of a moment between two.
  func token(_ sequence: Int64) -> HistoryToken {
    HistoryToken(store: store, epoch: epochs[place(of: sequence)].identity, sequence: sequence)
  }

  /// Returns the time of day, in seconds since 2001, of a transaction's time of the store.
  func date(_ time: Double, of sequence: Int64) -> Double {
    time + differences[place(of: sequence)]
  }

  /// Checks that a token stands for a moment of this store; otherwise it is foreign, at once and
  /// for ever.
  func check(_ token: HistoryToken, head: Int64) throws(DepotError) {
    guard token.store == store else {
      throw DepotError(.historyForeign, "The token \(token) is of another store.")
        .hint("The tokens of this one begin with \(store).")
    }
    // Most tokens belong to the newest epoch.
    guard let place = epochs.lastIndex(where: { $0.identity == token.epoch }) else {
      throw DepotError(.historyForeign, "The token \(token) is of no epoch that this store knows.")
        .hint(Self.advice(self.token(head)))
    }
    let end = place == epochs.count - 1 ? head : min(head, epochs[place + 1].began)
    guard token.sequence <= end else {
      throw DepotError(.historyForeign, "The token \(token) is beyond what this store has.")
        .hint(Self.advice(self.token(head)))
    }
  }

  private static func advice(_ head: HistoryToken) -> String {
    "Was it restored from a backup? Read the rows anew, and go on from its last token, \(head)."
  }

  /// The place of the epoch that a transaction is of.
  private func place(of sequence: Int64) -> Int {
    // Nearly always it is the last.
    if epochs[epochs.count - 1].began < sequence { return epochs.count - 1 }
    return max(epochs.place { $0.began < sequence } - 1, 0)
  }
}
