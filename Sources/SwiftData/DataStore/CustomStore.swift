internal import DepotProtocol

/// A store of the program's own, as one context uses it.
final class CustomStore<Store: DataStore>: ContextStore {
  typealias Snapshot = Store.Snapshot

  let box: CustomStoreBox
  let identifier: String
  let allowsSave = true
  let takesExpressions = false
  let keepsMissingLists = true
  /// Used while ``box`` is locked only.
  private let store: Store
  /// The context's identity and author as the store knows them.
  private var state: EditingState?
  /// The targets of to-many relationships of registered objects that aren't loaded.
  var lists: [PersistentIdentifier: [Int: [PersistentIdentifier]]] = [:]
  /// The values that a save has returned and that the context has to take over.
  var returned: [PersistentIdentifier: DefaultSnapshot] = [:]

  init(_ box: CustomStoreBox, _ store: Store) {
    self.box = box
    self.store = store
    identifier = store.identifier
  }

  deinit {
    if let state { box.withStore { _ in store.invalidateState(for: state) } }
  }

  /// Runs a function with exclusive use of the store.
  func talk<Result>(
    _ context: ModelContext?,
    _ body: (Store, EditingState) throws -> Result
  ) rethrows -> Result {
    try box.withStore { _ in
      let isNew = state == nil
      let current = context?.editingState ?? state ?? EditingState()
      state = current
      if isNew { store.initializeState(for: current) }
      return try body(store, current)
    }
  }
  func withOwnStore<Result>(
    in context: ModelContext,
    _ body: (AnyObject) throws -> Result?
  ) throws -> Result? {
    try talk(context) { store, _ in try body(store) }
  }
}
