internal import DepotProtocol

extension BlockingConnection {
  /// Returns what the store is called in every process; of a container of several stores, the first
  /// one's.
  ///
  /// - Throws: ``DepotError`` `notfound.container` if the container isn't open.
  package func storeIdentifier() throws -> String {
    let name = containerName
    guard let store = try containers().first(where: { $0.name == name })?.stores.first else {
      throw DepotError(.containerNotFound, "The container \"\(name)\" isn't open.")
    }
    return store.identifier
  }
}
