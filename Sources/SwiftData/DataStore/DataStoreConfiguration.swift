/// The location and the contents of a store.
public protocol DataStoreConfiguration: Hashable {
  /// The class that keeps the objects.
  associatedtype Store: DataStore where Store.Configuration == Self

  /// The name of the configuration.
  var name: String { get }

  /// The entities that the store holds; all that no other configuration has if `nil`.
  ///
  /// A container sets it before it creates the store.
  var schema: Schema? { get set }

  /// Checks whether a store can be opened.
  ///
  /// - Throws: An error that says why the configuration can't be used.
  func validate() throws
}

extension DataStoreConfiguration {
  /// Accepts every configuration.
  public func validate() throws {}
}
