internal import DepotEngine

/// A store that is open, with its readers.
struct OpenedStore: Sendable {
  let store: Store
  let readers: ReaderPool
  /// The feed of commits for watched queries.
  let feed: ChangeFeed
}
