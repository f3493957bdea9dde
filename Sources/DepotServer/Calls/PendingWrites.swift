/// The writes that were handed over to stores, by the tokens that their outcomes name.
struct PendingWrites {
  /// The recipient of the outcome of a write.
  enum Recipient {
    /// A call; its outcome lets others through to the container whose schema it defines, if it does.
    case call(Server.Caller, defining: Container?)
    /// A definition of a schema over several stores, which handed over this part.
    case definition(SchemaDefinition, part: Int)
    /// The server itself.
    case server(([UInt8]) -> Void)
  }

  private var recipients: [UInt64: Recipient] = [:]
  private var lastToken: UInt64 = 0

  /// Returns the token of a write that is about to be handed over.
  mutating func add(_ recipient: Recipient) -> UInt64 {
    lastToken += 1
    recipients[lastToken] = recipient
    return lastToken
  }

  /// Returns the recipient of an outcome, which is the only one of its token.
  mutating func remove(_ token: UInt64) -> Recipient? { recipients.removeValue(forKey: token) }

  /// Drops all recipients, since some of them keep the server alive.
  mutating func removeAll() { recipients = [:] }
}
