package import DepotProtocol

/// A write on its way to the store.
package struct WriteRequest: Sendable {
  /// What the server knows the call by; it comes back with the outcome.
  package var token: UInt64
  /// One of the operations that change the store.
  package var operation: Operation
  /// The idempotency key, unique for what one user sends.
  package var key: String?
  package var control: CallControl
  /// How the outcome is written.
  package var reply: ReplyWriter
  /// The number of the connection that it came from, whose uploads it may go on with.
  package var connection: Int64
  /// Whether it is about the end of the connection, whose uploads go, rather than ``operation``.
  package var endsConnection: Bool

  package init(
    token: UInt64,
    operation: Operation,
    key: String? = nil,
    control: CallControl = CallControl(),
    reply: ReplyWriter,
    connection: Int64 = 0,
    endsConnection: Bool = false
  ) {
    self.token = token
    self.operation = operation
    self.key = key
    self.control = control
    self.reply = reply
    self.connection = connection
    self.endsConnection = endsConnection
  }
}

/// What became of a write.
package struct WriteOutcome: Sendable {
  package var token: UInt64
  /// The terminal frame, ready to be sent.
  package var frame: [UInt8]
  package var isSuccess: Bool

  package init(token: UInt64, frame: [UInt8], isSuccess: Bool) {
    self.token = token
    self.frame = frame
    self.isSuccess = isSuccess
  }
}
