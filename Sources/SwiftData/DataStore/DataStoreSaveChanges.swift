internal import DepotProtocol

/// A request of a context to store changes.
@Memberwise
public struct DataStoreSaveChangesRequest<SnapshotType: DataStoreSnapshot>: Sendable {
  /// The context that saves.
  public let editingState: EditingState
  /// The new objects, whose identifiers are temporary.
  public private(set) var inserted: [SnapshotType] = []
  /// The changed objects, with all their values.
  public private(set) var updated: [SnapshotType] = []
  /// The objects to delete, with their last values.
  public private(set) var deleted: [SnapshotType] = []
}

/// The outcome of a save in a store.
// because it is immutable; tokens are Sendable, as their protocol says
public final class DataStoreSaveChangesResult<T: DataStoreSnapshot>: Sendable {
  /// The identifier of the store.
  public let storeIdentifier: String
  /// The identifiers of new objects, by the temporary ones.
  public let remappedIdentifiers: [PersistentIdentifier: PersistentIdentifier]
  /// Objects whose values differ from the context's, by their identifiers.
  public let snapshotsToReregister: [PersistentIdentifier: T]
  /// The token of the history after the save, if the store keeps one.
  public let historyToken: (any HistoryToken)?

  /// Creates a result.
  ///
  /// - Parameters:
  ///   - storeIdentifier: The identifier of the store.
  ///   - remappedIdentifiers: The identifiers of new objects, by the temporary ones.
  ///   - snapshotsToReregister: Objects whose values differ from the context's.
  public convenience init(
    for storeIdentifier: String,
    remappedIdentifiers: [PersistentIdentifier: PersistentIdentifier] = [:],
    snapshotsToReregister: [PersistentIdentifier: T] = [:]
  ) {
    self.init(
      for: storeIdentifier,
      remappedIdentifiers: remappedIdentifiers,
      snapshotsToReregister: snapshotsToReregister,
      historyToken: nil
    )
  }

  /// Creates a result of a store that keeps its history.
  ///
  /// - Parameters:
  ///   - storeIdentifier: The identifier of the store.
  ///   - remappedIdentifiers: The identifiers of new objects, by the temporary ones.
  ///   - snapshotsToReregister: Objects whose values differ from the context's.
  ///   - historyToken: The token of the history after the save.
  public init(
    for storeIdentifier: String,
    remappedIdentifiers: [PersistentIdentifier: PersistentIdentifier] = [:],
    snapshotsToReregister: [PersistentIdentifier: T] = [:],
    historyToken: (any HistoryToken)?
  ) {
    self.storeIdentifier = storeIdentifier
    self.remappedIdentifiers = remappedIdentifiers
    self.snapshotsToReregister = snapshotsToReregister
    self.historyToken = historyToken
  }
}
