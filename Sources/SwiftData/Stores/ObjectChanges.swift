/// The changes that a context has saved in a store of the program's own.
struct ObjectChanges: Sendable {
  /// The context.
  let editingState: EditingState
  var inserted: [PersistentIdentifier] = []
  /// The changed objects, with the properties that changed.
  var updated: [PersistentIdentifier: SlotSet] = [:]
  var deleted: [PersistentIdentifier] = []

  /// All objects.
  var all: [PersistentIdentifier] { inserted + updated.keys + deleted }
}
