internal import DepotClient
internal import DepotProtocol
internal import Foundation

extension ModelContainer {
  /// Deletes all objects of the container's models, regardless of delete rules.
  ///
  /// - Throws: ``SwiftDataError/storeFailure`` if a store can't be changed; those before it are empty
  ///   then.
  public func erase() throws {
    for store in core.stores {
      if let box = core.boxes[ObjectIdentifier(store)] {
        try box.withStore { try $0.erase() }
      } else {
        try store.erase()
      }
    }
  }

  /// Deletes all objects; an error is only printed to standard error.
  @available(*, deprecated, renamed: "erase()")
  public func deleteAllData() {
    do {
      try erase()
    } catch {
      FileHandle.standardError.write(Data("SwiftData: deleteAllData() failed: \(error)\n".utf8))
    }
  }

  /// Returns the name of the configuration of a store; "default" if the program gave it none.
  public func configurationName(forStoreIdentifier identifier: String) -> String? {
    core.stores.first { $0.identifier == identifier }?.name
  }

  /// Returns the identifier of a configuration's store, which is the same in every process.
  public func storeIdentifier(forConfigurationNamed name: String) -> String? {
    core.stores.first { $0.name == name }?.identifier
  }
}

extension StoreHandle {
  fileprivate func erase() throws {
    let connection = try connect()
    var waiting = entities.sorted()
    // An entity may have to wait for another one whose objects deny the deletion of its own.
    while !waiting.isEmpty {
      var refused: [String] = []
      var refusal: (any Error)?
      for entity in waiting {
        do {
          _ = try connection.delete(
            DeleteRequest(entity: entity, rows: .predicate(.value(.bool(true))))
          )
        } catch let error as DepotError where error.code.class == "constraint" {
          refused.append(entity)
          refusal = error
        } catch {
          throw SwiftDataError(any: error)
        }
      }
      if let refusal, refused.count == waiting.count { throw SwiftDataError(any: refusal) }
      waiting = refused
    }
  }
}
