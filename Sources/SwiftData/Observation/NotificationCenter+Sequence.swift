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
  public final class Notifications: AsyncSequence, Sendable {
    private let center: NotificationCenter
    private let token: Box<any NSObjectProtocol>
    private let stream: AsyncStream<Box<Notification>>

    init(_ center: NotificationCenter, _ name: Notification.Name, _ object: AnyObject?) {
      let (stream, continuation) = AsyncStream<Box<Notification>>.makeStream()
      self.center = center
      self.stream = stream
      let token = center.addObserver(forName: name, object: object, queue: nil) { notification in
        continuation.yield(Box(content: notification))
      }
      self.token = Box(content: token)
    }

    deinit { center.removeObserver(token.content) }

    public func makeAsyncIterator() -> Iterator {
      Iterator(sequence: self, iterator: stream.makeAsyncIterator())
    }

    /// Waits for one notification after the other.
    public struct Iterator: AsyncIteratorProtocol {
      fileprivate let sequence: Notifications
      fileprivate var iterator: AsyncStream<Box<Notification>>.AsyncIterator

      public mutating func next() async -> Notification? {
        await iterator.next(isolation: #isolation)?.content
      }

      public mutating func next(
        isolation actor: isolated (any Actor)?
      ) async -> Notification? {
        await iterator.next(isolation: actor)?.content
      }
    }

    /// A notification on its way to the waiting task, or the token of the observer.
    // because the poster doesn't change it afterwards, and the token is only given back
    fileprivate struct Box<Content>: @unchecked Sendable {
      let content: Content
    }
  }
}
