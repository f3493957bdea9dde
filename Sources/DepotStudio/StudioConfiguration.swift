package import DepotLinux
package import DepotProtocol
internal import Synchronization

/// The options of a bridge between browsers and a service.
package struct StudioConfiguration: Sendable {
  /// The port to listen on; 0 for any free port.
  package var port: UInt16
  /// Whether pages may change the store.
  package var allowsWrites: Bool
  /// The name that the page shows for the store.
  package var storeName: String
  /// The container for pages that name none.
  package var container: String?
  /// The author of changes by pages that name none.
  package var author: String?
  package var limits = StudioLimits()
  /// Returns the diagram of the schema as JSON; it may wait for the service.
  package let diagram: @Sendable () throws -> String
  /// Connects to the service, without waiting.
  package let connect: @Sendable () -> Result<Descriptor, DepotError>

  package init(
    port: UInt16 = 0,
    allowsWrites: Bool,
    storeName: String,
    container: String? = nil,
    author: String? = nil,
    diagram: @escaping @Sendable () throws -> String,
    connect: @escaping @Sendable () -> Result<Descriptor, DepotError>
  ) {
    self.port = port
    self.allowsWrites = allowsWrites
    self.storeName = storeName
    self.container = container
    self.author = author
    self.diagram = diagram
    self.connect = connect
  }
}

/// The limits of a bridge.
package struct StudioLimits: Sendable {
  /// The most connections of browsers, including WebSockets.
  package var connections = 192
  /// The most WebSockets.
  package var webSockets = 48
  /// The longest time to receive the head of a request.
  package var headMilliseconds = 10_000
  /// The longest time without a request, or without progress of an answer.
  package var idleMilliseconds = 60_000
  /// The longest time to close a connection.
  package var endMilliseconds = 2_000
  /// The unsent bytes for one side at which the other side isn't read any more.
  package var waitingBytes = 1 << 20
  /// The most bytes of a page's message.
  package var messageBytes = Limits.frameBytes

  package init() {}
}

/// Ends a bridge from any thread.
package final class StudioEnd: Sendable {
  package let loop: EventLoop
  private let isWanted = Atomic(false)

  /// - Throws: ``SystemError`` if there are no more descriptors.
  package init() throws(SystemError) {
    loop = try EventLoop()
  }

  /// Whether the bridge must end.
  package var isAsked: Bool { isWanted.load(ordering: .acquiring) }

  /// Ends the bridge.
  package func ask() {
    isWanted.store(true, ordering: .releasing)
    loop.wake()
  }
}
