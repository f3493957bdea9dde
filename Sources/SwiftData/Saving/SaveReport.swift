internal import DepotProtocol

/// The changes that a save has made.
struct SaveReport {
  var inserted: [PersistentIdentifier] = []
  var updated: [PersistentIdentifier] = []
  var deleted: [PersistentIdentifier] = []
  /// The objects whose rows differ from the context's values.
  var stale: [ObjectReference] = []
  /// The objects whose rows others have taken over.
  var replaced: [ObjectReference] = []
  /// The new objects of a save; some have existing rows, as their unique values are the same.
  var adopted: [ObjectReference] = []
  /// The objects that were to be deleted and that the stores keep.
  var kept: [ObjectReference] = []
  /// The conflicts that the context has won.
  var conflicts: [SaveConflict] = []
  var tokens: [String: any HistoryToken] = [:]

  var isEmpty: Bool { inserted.isEmpty && updated.isEmpty && deleted.isEmpty && kept.isEmpty }
}
