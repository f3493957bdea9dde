/// The writes submitted to stores, by the tokens of their outcomes.
struct PendingWrites {
  /// The recipient of the outcome of a write.
  enum Recipient {
    /// A call; if it defines a schema, its outcome opens the container to other calls again.
    case call(Caller, defining: Container?)
    /// One part of a schema definition over several stores.
    case definition(SchemaDefinition, part: Int)
    /// The server itself.
    case server(([UInt8]) -> Void)
  }

  private var recipients: [UInt64: Recipient] = [:]
  private var lastToken: UInt64 = 0

  /// Returns the token for a write about to be submitted.
  mutating func add(_ recipient: Recipient) -> UInt64 {
    lastToken += 1
    recipients[lastToken] = recipient
    return lastToken
  }

  /// Removes and returns the recipient of an outcome.
  mutating func remove(_ token: UInt64) -> Recipient? { recipients.removeValue(forKey: token) }

  /// Drops all recipients, since some of them keep the server alive.
  mutating func removeAll() { recipients = [:] }
}
