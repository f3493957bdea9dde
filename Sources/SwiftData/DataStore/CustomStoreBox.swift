internal import DepotProtocol
internal import Foundation

/// A store of the program's own, which the contexts of a container share.
///
/// It is called for one context at a time, even if the contexts are on several threads.
@Memberwise("store", "descriptions")
// because the store is used under the lock only
final class CustomStoreBox: @unchecked Sendable {
  /// The store, which is used nowhere else.
  private let store: any DataStore
  /// The entities of the container by their names.
  private let descriptions: [String: EntityDescription]
  private let lock = NSRecursiveLock()

  /// Runs a function with exclusive use of the store.
  func withStore<Result>(_ body: (any DataStore) throws -> Result) rethrows -> Result {
    lock.lock()
    defer { lock.unlock() }
    return try EntityDescription.$current.withValue(descriptions) { try body(store) }
  }

  /// Makes the store of one context.
  func contextStore() -> any ContextStore {
    func make<Store: DataStore>(_ store: Store) -> any ContextStore { CustomStore(self, store) }
    return make(store)
  }
}
