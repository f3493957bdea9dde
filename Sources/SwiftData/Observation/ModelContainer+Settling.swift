internal import DepotClient
package import DepotProtocol

/// A wait for tests until all contexts know the saves so far.
extension ModelContainer {
  /// Returns the last transaction of each store that is watched, by the stores' identifiers; blocks.
  ///
  /// - Throws: ``SwiftDataError/storeFailure`` if nothing answers.
  package final func lastTransactions() throws -> [String: DepotProtocol.HistoryToken] {
    var tokens: [String: DepotProtocol.HistoryToken] = [:]
    for store in stores where store.isShared {
      do {
        tokens[store.identifier] = try store.borrow { try $0.historyStatus().head }
      } catch {
        throw SwiftDataError(any: error)
      }
    }
    return tokens
  }

  /// Whether everything up to these transactions was delivered, and merged by contexts with an
  /// actor.
  ///
  /// Contexts without an actor merge when they are used next.
  package final func hasSettled(at tokens: [String: DepotProtocol.HistoryToken]) -> Bool {
    core.remote.hasSettled(at: tokens)
  }
}
