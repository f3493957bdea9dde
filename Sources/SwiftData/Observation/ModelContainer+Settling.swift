internal import DepotClient
package import DepotProtocol

/// The waiting of tests until everybody knows what was saved.
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

  /// Whether everything up to these transactions was handed out, and whatever has an actor of its own has
  /// taken it in; contexts without one merge when they are next asked for something.
  package final func hasSettled(at tokens: [String: DepotProtocol.HistoryToken]) -> Bool {
    core.remote.hasSettled(at: tokens)
  }
}
