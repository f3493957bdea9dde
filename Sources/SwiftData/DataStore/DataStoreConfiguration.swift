/// Where a store is, and what it holds.
public protocol DataStoreConfiguration<Store>: Hashable {
  /// The class that keeps the objects.
  associatedtype Store: DataStore where Store.Configuration == Self

  /// What the configuration is called.
  var name: String { get }

  /// The entities that the store holds; all that no other configuration has if `nil`.
  ///
  /// A container sets it before it creates the store.
  var schema: Schema? { get set }

  /// Checks that a store can be had.
  ///
  /// - Throws: What is wrong with the configuration.
  func validate() throws
}

extension DataStoreConfiguration {
  /// Finds nothing wrong.
  public func validate() throws {}
}
