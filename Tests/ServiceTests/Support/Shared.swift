import Synchronization

/// Something that threads tell each other once.
final class Flag: Sendable {
  private let isSet = Atomic(false)

  var value: Bool { isSet.load(ordering: .sequentiallyConsistent) }

  func set() { isSet.store(true, ordering: .sequentiallyConsistent) }
}

/// A number that threads count up together.
final class Counter: Sendable {
  private let count = Atomic(0)

  var value: Int { count.load(ordering: .sequentiallyConsistent) }

  func add() { count.add(1, ordering: .sequentiallyConsistent) }
}

/// Something that threads share.
final class Shared<Value: Sendable>: Sendable {
  private let content: Mutex<Value>

  init(_ value: Value) {
    content = Mutex(value)
  }

  var value: Value { content.withLock { $0 } }

  func change(_ body: (inout Value) -> Void) { content.withLock { body(&$0) } }
}
