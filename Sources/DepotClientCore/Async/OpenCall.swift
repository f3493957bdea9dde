internal import DepotProtocol

/// The owner of a stream, which is cancelled when this is released.
final class OpenCall: Sendable {
  private let client: Client
  let ticket: Int64

  init(_ client: Client, _ operation: Operation, deadline: Duration? = nil) throws {
    self.client = client
    ticket = try client.core.openStream(operation, deadline: deadline)
  }

  deinit { client.core.closeStream(ticket) }
}
