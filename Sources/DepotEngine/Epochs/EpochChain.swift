internal import DepotProtocol
internal import DepotSQLite

/// An epoch: the time during which one writer used a store.
struct Epoch: Equatable, Sendable {
  /// A random number that distinguishes it from epochs in any copy of the store.
  let identity: Int64
  /// The last row of the history when it began.
  let began: Int64
  /// The seconds by which the wall clock was ahead of the store's time.
  var ahead: Double
}

/// The epochs of a store in order, used to write and check tokens.
///
/// A token belongs to this store if its epoch is one of these, and its number is at most the
/// epoch's end, where the next epoch began. All stores with an epoch have the same history before
/// any of its tokens, so comparing numbers tells which token is earlier.
///
/// The chain also gives the dates of transactions. Each transaction has the store's time, and each
/// epoch has the seconds by which the wall clock was ahead of it. The current wall clock is taken
/// as right: an epoch whose clock was further ahead is corrected, and so is an epoch whose clock
/// was behind an earlier one's. So dates never decrease, and follow the wall clock as soon as it is
/// corrected.
struct EpochChain: Equatable, Sendable {
  /// The first digits of the store's identifier.
  let store: String
  /// The epochs, at least one; everything before the second one belongs to the first.
  private let epochs: [Epoch]
  /// The seconds by which each epoch's dates are ahead of the store's time.
  private let differences: [Double]

  /// Makes the chain of a store from its epochs, oldest first.
  ///
  /// Without epochs, its tokens have the form of stores older than epochs.
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

  /// Returns the chain with another epoch at the end.
  func adding(_ epoch: Epoch) -> EpochChain { EpochChain(store: store, epochs + [epoch]) }

  /// Returns the token of a transaction, or of a point between two.
  func token(_ sequence: Int64) -> HistoryToken {
    HistoryToken(store: store, epoch: epochs[place(of: sequence)].identity, sequence: sequence)
  }

  /// Returns the date, in seconds since 2001, of a transaction's store time.
  func date(_ time: Double, of sequence: Int64) -> Double {
    time + differences[place(of: sequence)]
  }

  /// Checks that a token belongs to this store; a foreign one never becomes valid.
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
      throw DepotError(
        .historyForeign,
        "The token \(token) is later than the last transaction of this store."
      )
      .hint(Self.advice(self.token(head)))
    }
  }

  private static func advice(_ head: HistoryToken) -> String {
    "Was it restored from a backup? Read the rows anew, and go on from its last token, \(head)."
  }

  /// The index of a transaction's epoch.
  private func place(of sequence: Int64) -> Int {
    // It is nearly always the last.
    if epochs[epochs.count - 1].began < sequence { return epochs.count - 1 }
    return max(epochs.partitioningIndex { $0.began < sequence } - 1, 0)
  }
}
