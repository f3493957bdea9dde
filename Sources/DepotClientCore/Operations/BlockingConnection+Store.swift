internal import DepotProtocol

extension BlockingConnection {
  /// Returns the identifier of the store, which is the same in every process.
  ///
  /// For a container of several stores it is the first one's.
  ///
  /// - Throws: ``DepotError`` `notfound.container` if the container isn't open.
  package func storeIdentifier() throws -> String {
    guard let store = try openStores().first else { throw isNotOpen }
    return store.identifier
  }

  /// Returns the identifier of each entity's store, which is the same in every process.
  ///
  /// - Throws: ``DepotError`` `notfound.container` if the container isn't open.
  package func storeIdentifiers() throws -> [String: String] {
    var result: [String: String] = [:]
    for store in try openStores() {
      for entity in store.entities { result[entity] = store.identifier }
    }
    return result
  }

  /// Returns the stores of the container that calls are about.
  ///
  /// - Throws: ``DepotError`` `notfound.container` if the container isn't open.
  package func openStores() throws -> [OpenStore] {
    let name = containerName
    guard let container = try containers().first(where: { $0.name == name }) else {
      throw isNotOpen
    }
    return container.stores
  }

  private var isNotOpen: DepotError {
    DepotError(.containerNotFound, "The container \"\(containerName)\" isn't open.")
  }
}
