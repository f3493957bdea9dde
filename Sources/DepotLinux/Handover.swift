internal import Synchronization

/// A value on its way to another thread, which takes it once.
package final class Handover<Value>: Sendable {
  private let value: Mutex<Value?>

  /// Holds a value that nobody else uses.
  package init(_ value: consuming sending Value) { self.value = Mutex(value) }

  /// Returns the value; `nil` if it was taken before.
  package func take() -> sending Value? { value.withLock { $0.take() } }
}
