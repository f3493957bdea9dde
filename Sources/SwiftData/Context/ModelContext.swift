public import DepotProtocol
internal import Foundation

/// A set of objects, and the changes to them that aren't saved.
///
/// A context has one object for each identifier. The context and its objects belong to the thread
/// or actor that made the context; only identifiers cross threads.
public class ModelContext: Equatable {
  /// The stores, which last as long as this.
  final let core: any OpenStores
  /// Whether this only reads, for objects whose own context no longer exists.
  final let isSuccessor: Bool
  /// The stores, in the order of the configurations.
  final let stores: [any ContextStore]
  /// The identifiers of the stores, the same in every process.
  final lazy var storeIdentifiers = Set(stores.map(\.identifier))
  private final let storesByEntity: [String: any ContextStore]
  /// The class that the container was found to know last, and most often is asked for again.
  @exclusivity(unchecked) private final var latest: EntityDescription?
  /// The registered objects.
  final let identityMap = IdentityMap()
  /// The changes that aren't saved.
  @exclusivity(unchecked) final var pending = PendingChanges()
  final var recent = RecentObjects()
  /// The prefetched objects of the last few fetches.
  final var prefetched: [[AnyObject]] = []
  /// The names of the entities that others descend from.
  private final let superclasses: Set<String>
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
  /// Whether rows were read, or saved.
  final var hasRead = false
  /// Whether the saves of others are merged.
  final var isWatching = false
  /// Whether something was read since the stores couldn't be watched.
  final var hasMissedChanges = false
  /// How many closures of transactions run inside of each other.
  final var transactionDepth = 0
  /// The first error of a transaction inside of another one.
  final var transactionFailure: (any Error)?
  /// Whether the saves of others are being merged.
  final var isMerging = false

  /// The author of the changes of this context in the history.
  public final var author: String?
  /// Whether changes are saved without being asked for.
  @exclusivity(unchecked) public final var autosaveEnabled = false
  /// The treatment in a save of objects that others have changed since they were read.
  public final var mergePolicy = MergePolicy.mergeByPropertyObjectTrump

  init(_ core: any OpenStores, isSuccessor: Bool) {
    self.core = core
    self.isSuccessor = isSuccessor
    var byEntity: [String: any ContextStore] = [:]
    stores = core.stores.map { handle in
      let store = core.contextStore(of: handle)
      for entity in handle.entities { byEntity[entity] = store }
      return store
    }
    storesByEntity = byEntity
    superclasses = Set(core.descriptions.values.compactMap { $0.parent?.name })
    recent.isOff = isSuccessor
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

  /// Returns the store of an entity.
  ///
  /// - Throws: ``SwiftDataError/unknownSchema`` if the container doesn't know it.
  final func store(of description: EntityDescription) throws -> any ContextStore {
    guard knows(description), let store = storesByEntity[description.name] else {
      throw unknownSchema(description)
    }
    return store
  }

  /// Whether the container has a class, and not another one of the same name.
  final func knows(_ description: EntityDescription) -> Bool {
    if description === latest { return true }
    guard core.descriptions[description.name] === description else { return false }
    latest = description
    return true
  }

  /// The error that the container doesn't know a class.
  final func unknownSchema(_ description: EntityDescription) -> SwiftDataError {
    let isOther = core.descriptions[description.name] != nil
    return SwiftDataError(
      .unknownSchema,
      isOther
        ? "The container knows another \(description.name) than \(description.type)."
        : "The container doesn't know \(description.name).",
      hint: "Name \(description.name) among the models of the container.",
      entity: description.name
    )
  }

  /// Whether objects of an entity may be of subclasses.
  final func hasSubclasses(_ description: EntityDescription) -> Bool {
    superclasses.contains(description.name)
  }
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

  /// The description of the entity that an identifier names.
  final func description(of identifier: PersistentIdentifier) -> EntityDescription? {
    core.descriptions[identifier.entityName]
  }
}
