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

  package init(
    token: UInt64,
    operation: Operation,
    key: String? = nil,
    control: CallControl = CallControl(),
    reply: ReplyWriter
  ) {
    self.token = token
    self.operation = operation
    self.key = key
    self.control = control
    self.reply = reply
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
