package import DepotProtocol

/// A write on its way to the store.
@Memberwise
package struct WriteRequest: Sendable {
  /// The server's name for the call; it comes back with the outcome.
  package var token: UInt64
  /// One of the operations that change the store.
  package var operation: Operation
  /// The idempotency key, unique among the requests of one user.
  package var key: String?
  /// A number that tells the arguments, as they came, from others of the same key; the operation tells if `nil`.
  package var keyHash: Int64?
  package var control: CallControl = CallControl()
  /// The write without whose success this one isn't done.
  package var predecessor: CallControl?
  /// How the outcome is written.
  package var reply: ReplyWriter
  /// The number of the connection that it came from, whose uploads it may go on with.
  package var connection: Int64 = 0
  /// Whether it is about the end of the connection, whose uploads go, rather than ``operation``.
  package var endsConnection: Bool = false
  /// Whether all that was handed over before goes before it, and all that comes later goes after it.
  package var isBarrier: Bool = false
  /// The phase of its transaction.
  package var phase: Phase = .whole

  /// The part that a write has in one that several stores take or none.
  ///
  /// A write that was prepared keeps its transaction open, and all others wait until it is committed or
  /// undone by a request that comes after it.
  package enum Phase: Sendable {
    /// It has no part, and is done at once.
    case whole
    case prepare
    /// The prepared transaction is stored.
    case commit
    /// The prepared transaction is undone.
    case undo
  }
  /// Answers it on the store's thread, if that is possible when it is committed alone; returns whether it did.
  package var answer: (@Sendable (WriteOutcome) -> Bool)?
  /// The author in the history.
  package var author: String?
  /// The process that sent it, as the history tells it.
  package var process: String?
  /// The group of the transaction, as undoing by group needs it.
  package var group: String?
}

/// The outcome of a write.
@Memberwise
package struct WriteOutcome: Sendable {
  package var token: UInt64
  /// The terminal frame, ready to be sent.
  package var frame: [UInt8]
  package var isSuccess: Bool
}
