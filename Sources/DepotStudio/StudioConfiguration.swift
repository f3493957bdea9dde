package import DepotLinux
package import DepotProtocol
internal import Synchronization

/// The facts that a bridge between browsers and a service begins with.
package struct StudioConfiguration: Sendable {
  /// The port to listen on; one that is free if 0.
  package var port: UInt16
  /// Whether pages may change the store.
  package var allowsWrites: Bool
  /// The name that the page shows for the store.
  package var storeName: String
  /// The container of pages that name none.
  package var container: String?
  /// The author of the changes of pages that name none.
  package var author: String?
  package var limits = StudioLimits()
  /// Makes a connection to the service, without waiting.
  package let connect: @Sendable () -> Result<Descriptor, DepotError>

  package init(
    port: UInt16 = 0,
    allowsWrites: Bool,
    storeName: String,
    container: String? = nil,
    author: String? = nil,
    connect: @escaping @Sendable () -> Result<Descriptor, DepotError>
  ) {
    self.port = port
    self.allowsWrites = allowsWrites
    self.storeName = storeName
    self.container = container
    self.author = author
    self.connect = connect
  }
}

/// The bounds of a bridge.
package struct StudioLimits: Sendable {
  /// How many connections browsers may have, WebSockets included.
  package var connections = 192
  /// How many WebSockets there may be.
  package var webSockets = 48
  /// How long the head of a request may take.
  package var headMilliseconds = 10_000
  /// How long a connection may wait for its next request, or a browser take nothing of an answer.
  package var idleMilliseconds = 60_000
  /// How long the end of a connection may take.
  package var endMilliseconds = 2_000
  /// How many bytes may wait for one side before the other side isn't read.
  package var waitingBytes = 1 << 20
  /// How many bytes a message of a page may have.
  package var messageBytes = Limits.frameBytes

  package init() {}
}

/// A request to end a bridge, from any thread.
package final class StudioEnd: Sendable {
  package let loop: EventLoop
  private let isWanted = Atomic(false)

  /// - Throws: ``SystemError`` if there are no more descriptors.
  package init() throws(SystemError) {
    loop = try EventLoop()
  }

  /// Whether the bridge is to end.
  package var isAsked: Bool { isWanted.load(ordering: .acquiring) }

  /// Ends the bridge.
  package func ask() {
    isWanted.store(true, ordering: .releasing)
    loop.wake()
  }
}
