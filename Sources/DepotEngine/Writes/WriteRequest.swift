package import DepotProtocol

/// A request to write to the store.
///
/// It is a class because queues and batches hand it on several times.
// because the thread that makes it changes it only before it hands it over
@Memberwise
package final class WriteRequest: @unchecked Sendable {
  /// The server's number of the call, which is also in the outcome.
  package let token: UInt64
  /// One of the operations that change the store.
  package let operation: Operation
  /// The idempotency key, unique among the requests of one user.
  package let key: String?
  package let control: CallControl
  /// The write that must have succeeded before this one is executed.
  package var predecessor: CallControl?
  /// The encoding of the outcome.
  package let reply: ReplyWriter
  /// The number of its connection, whose unfinished uploads it may continue or use.
  package var connection: Int64 = 0
  /// Whether the connection has ended: its uploads are removed, and ``operation`` is ignored.
  package var endsConnection: Bool = false
  /// Whether it is executed after all earlier writes and before all later ones.
  package var isBarrier: Bool = false
  /// The phase of its transaction.
  package var phase: Phase = .whole

  /// The phase of a write that several stores must execute all or none (two-phase commit).
  ///
  /// A prepared write keeps its transaction open, and all other writes wait until a later request
  /// commits or undoes it.
  package enum Phase: Sendable {
    /// The write isn't part of a two-phase commit, and is executed at once.
    case whole
    case prepare
    /// Commit the prepared transaction.
    case commit
    /// Undo the prepared transaction.
    case undo
  }
  /// Sends the outcome from the store's thread if possible; returns whether it did.
  ///
  /// It is called only for a write that was committed alone.
  package var answer: (@Sendable (WriteOutcome) -> Bool)?
  /// The author in the history.
  package var author: String?
  /// The process that sent it, for the history.
  package var process: String?
  /// The group of the transaction in the history, by which it can be undone.
  package var group: String?
}

/// The outcome of a write.
@Memberwise
package struct WriteOutcome: Sendable {
  package var token: UInt64
  /// The final frame of the answer, ready to be sent.
  package var frame: [UInt8]
  package var isSuccess: Bool
}

extension TransactionOrigin {
  convenience init(_ request: WriteRequest) {
    let isOfSchema =
      switch request.operation {
      case .defineSchema, .beginMigration, .commitMigration: true
      default: false
      }
    self.init(
      author: request.author,
      process: request.process,
      connection: request.connection,
      group: request.group,
      kind: isOfSchema ? Self.schemaKind : nil
    )
  }
}

extension WriteRequest {
  /// The range of a service's numbers for its connections.
  static func connections(of service: Int64) -> Range<Int64> { service << 32..<(service + 1) << 32 }
}
