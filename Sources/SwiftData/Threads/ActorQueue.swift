internal import Dispatch

/// The queues of actors that have contexts.
enum ActorQueue {
  private static let key = DispatchSpecificKey<ObjectIdentifier>()

  /// Makes a queue one of an actor.
  static func mark(_ queue: DispatchQueue) {
    queue.setSpecific(key: key, value: ObjectIdentifier(queue))
  }

  /// Whether this runs on the queue.
  static func isCurrent(_ queue: DispatchQueue) -> Bool {
    DispatchQueue.getSpecific(key: key) == ObjectIdentifier(queue)
  }

  /// Whether this runs on the queue of any actor.
  static var isCurrent: Bool { DispatchQueue.getSpecific(key: key) != nil }
}
