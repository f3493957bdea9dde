public import Foundation

extension NotificationCenter {
  /// The notifications of a name, as they are posted.
  ///
  /// Foundation on Linux lacks this. Notifications after its creation are kept until the loop asks
  /// for them.
  ///
  /// - Parameters:
  ///   - name: The name.
  ///   - object: The poster of the notifications; any if `nil`.
  /// - Returns: The sequence.
  public func notifications(
    named name: Notification.Name,
    object: AnyObject? = nil
  ) -> Notifications {
    Notifications(self, name, object)
  }

  /// The notifications of a name.
  // because its members are set once, and the token is only given back
  public final class Notifications: AsyncSequence, @unchecked Sendable {
    private let center: NotificationCenter
    private let token: any NSObjectProtocol
    private let stream: AsyncStream<Box>

    init(_ center: NotificationCenter, _ name: Notification.Name, _ object: AnyObject?) {
      let (stream, continuation) = AsyncStream<Box>.makeStream()
      self.center = center
      self.stream = stream
      token = center.addObserver(forName: name, object: object, queue: nil) { notification in
        continuation.yield(Box(notification: notification))
      }
    }

    deinit { center.removeObserver(token) }

    public func makeAsyncIterator() -> Iterator {
      Iterator(sequence: self, iterator: stream.makeAsyncIterator())
    }

    /// Waits for one notification after the other.
    public struct Iterator: AsyncIteratorProtocol {
      fileprivate let sequence: Notifications
      fileprivate var iterator: AsyncStream<Box>.AsyncIterator

      public mutating func next() async -> Notification? {
        await iterator.next(isolation: #isolation)?.notification
      }

      public mutating func next(
        isolation actor: isolated (any Actor)?
      ) async -> Notification? {
        await iterator.next(isolation: actor)?.notification
      }
    }

    /// A notification on its way to the waiting task.
    // because the poster doesn't change it afterwards
    fileprivate struct Box: @unchecked Sendable {
      let notification: Notification
    }
  }
}
