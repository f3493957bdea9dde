internal import DepotLinux
internal import Synchronization

/// A way to end a ``BlockingConnection`` from another thread than the one that uses it.
///
/// ```swift
/// let disconnector = connection.disconnector
/// // On a thread of its own:
/// try connection.watchHistory { event in handle(event); return true }
/// // On another one, to let `watchHistory` return:
/// disconnector.disconnect()
/// ```
public final class Disconnector: Sendable {
  private let descriptor: Descriptor
  private let wasUsed = Atomic(false)

  init(_ descriptor: Descriptor) {
    self.descriptor = descriptor
  }

  /// Whether ``disconnect()`` was called.
  public var isDisconnected: Bool { wasUsed.load(ordering: .acquiring) }

  /// Ends the connection: waiting calls return, and nothing more can be sent.
  ///
  /// A watch returns as if its closure had returned `false`; other calls throw
  /// `unavailable.disconnected`.
  public func disconnect() {
    wasUsed.store(true, ordering: .releasing)
    descriptor.endConnection()
  }
}

extension BlockingConnection {
  /// A way to end this connection from another thread.
  public var disconnector: Disconnector { wire.disconnector }
}
