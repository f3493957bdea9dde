public import DepotProtocol
internal import Foundation

/// A set of objects, and the changes to them that aren't saved.
///
/// A context has one object for each identifier. The context and its objects belong to the thread
/// or actor that made the context; only identifiers cross threads.
public class ModelContext: Equatable {
  /// The stores that are read and saved.
  final let stores: ContextStores
  /// Whether this only reads, for objects whose own context no longer exists.
  final let isSuccessor: Bool
  /// The registered objects.
  final let identityMap = IdentityMap()
  /// The changes that aren't saved.
  @exclusivity(unchecked) final var pending = PendingChanges()
  final var recent: RecentObjects
  /// The errors that couldn't be thrown yet.
  final let errors = PostponedErrors()
  /// The properties whose stored values are too large for a row, and are read one by one.
  final var largeValues = LargeProperties()
  /// The observers of changes.
  @exclusivity(unchecked) final var observers: [any ContextObserver] = []
  /// Whether relationships hide objects that are to be deleted.
  final var hidesDeleted = false
  private var editingStateIdentifier = UUID()
  final var isAutosaveScheduled = false
  /// Why the last save without being asked has failed; `nil` after one that didn't.
  public final internal(set) var autosaveFailure: SwiftDataError?

  final var undoRecorder: UndoRecorder?
  /// The queue of changes of others that aren't merged yet.
  final let mergeQueue = MergeQueue()
  /// Whether the context is notified of the saves of others.
  final var listening = Listening.unneeded
  final var transactions = RunningTransactions()
  /// Whether the saves of others are being merged.
  final var isMerging = false

  /// The author of the changes of this context in the history.
  public final var author: String?
  /// Whether changes are saved without being asked for.
  @exclusivity(unchecked) public final var autosaveEnabled = false
  /// The treatment in a save of objects that others have changed since they were read.
  public final var mergePolicy = MergePolicy.mergeByPropertyObjectTrump

  /// The open stores of the container.
  final var core: any OpenStores { stores.core }

  init(_ core: any OpenStores, isSuccessor: Bool) {
    stores = ContextStores(core)
    self.isSuccessor = isSuccessor
    recent = RecentObjects(isOff: isSuccessor)
    identityMap.context = self
  }

  deinit {
    let survivors = OrphanedObjects(core)
    for table in identityMap.tables {
      for storage in table.end() { survivors.add(storage) }
    }
    let (new, changed, deleted) = pending.removeAll()
    // New objects may be inserted into another context.
    for link in new { link.storage.phase = .unregistered }
    for link in deleted { link.storage.phase = .stored }
    for link in new { link.storage.loosen() }
    for link in changed + deleted { link.storage.detach() }
  }

  /// The identity of this context, which distinguishes its edits from the edits of others.
  public final var editingState: EditingState {
    get { EditingState(id: editingStateIdentifier, author: author) }
    set { (editingStateIdentifier, author) = (newValue.id, newValue.author) }
  }

  public static func == (left: ModelContext, right: ModelContext) -> Bool { left === right }
}

// MARK: - Registered objects

extension ModelContext {
  /// Returns the storage of an object if it is registered.
  final func registered(_ identifier: PersistentIdentifier) -> ModelStorage? {
    identityMap[identifier]
  }

  /// Returns the registered objects of an entity, kept alive; all if `nil`.
  final func registered(of description: EntityDescription?) -> [ObjectReference] {
    identityMap.tables.flatMap(\.links).filter { link in
      description.map(link.storage.description.isKind) != false
    }
  }

  /// Registers an object for its identifier; returns the one that was registered before.
  @discardableResult
  final func register(_ storage: ModelStorage) -> ModelStorage? {
    identityMap.table(of: storage.identifier.entity).add(storage)
  }

  /// Removes an object from the context; it keeps its values.
  final func unregister(_ storage: ModelStorage) {
    storage.table?.remove(storage)
  }
}
