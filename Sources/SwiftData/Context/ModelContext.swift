public import DepotProtocol
internal import Foundation

/// A set of objects, and the changes to them that aren't saved.
///
/// A context has one object for each identifier. It belongs to the thread or actor that made it, and its
/// objects with it; what crosses threads are identifiers.
public class ModelContext: Equatable {
  /// The stores, which last as long as this.
  final let core: ContainerCore
  /// Whether this only reads, for objects whose own context is gone; they aren't in it otherwise.
  final let isSuccessor: Bool
  /// The stores, in the order of the configurations.
  final let stores: [any ContextStore]
  /// What the stores are called in every process.
  final lazy var storeIdentifiers = Set(stores.map(\.identifier))
  private final let storesByEntity: [String: any ContextStore]
  /// The registered objects by the topmost entities of their stores.
  private final var tables: [ObjectIdentifier: IdentityTable] = [:]
  final var inserted = PendingSet()
  final var changed = PendingSet()
  final var deleted = PendingSet()
  /// The deleted objects that were never saved.
  final var discarded = PendingSet()
  /// The deleted objects whose delete rules weren't applied yet.
  final var undecided: [Link] = []
  /// The relationships of deleted objects that must lead to nothing when they are saved.
  final var denials: [(link: Link, slot: Int)] = []
  final var recent = RecentObjects()
  /// The objects that must be as they were read when this is saved.
  final var required: [Link] = []
  /// The objects that came along with those of the last few fetches.
  final var prefetched: [[AnyObject]] = []
  /// The names of the entities that others descend from.
  private final let superclasses: Set<String>
  /// What couldn't be read where nothing could be thrown, for the next save or fetch to throw.
  final var postponedErrors: [SwiftDataError] = []
  /// The changes that the program asked for and that can't be made, for the next save to throw.
  final var refusedChanges: [SwiftDataError] = []
  /// Who is told of changes.
  final var observers: [any ContextObserver] = []
  /// Whether relationships don't lead to objects that are to be deleted.
  final var hidesDeleted = false
  private let editingStateIdentifier = UUID()
  final var isAutosaveScheduled = false
  /// Why the last save without being asked has failed; `nil` after one that didn't.
  public final internal(set) var autosaveFailure: SwiftDataError?

  final var undoRecorder: UndoRecorder?
  /// What others save, on its way into this context.
  final let inbox = ContextInbox()
  /// Whether rows were read, or saved.
  final var hasRead = false
  /// Whether what others save is taken.
  final var isWatching = false
  /// Whether something was read since the stores couldn't be watched.
  final var hasMissedChanges = false
  /// Whether what others have saved is being merged.
  final var isMerging = false
  /// A transaction that is merged up to some change.
  final var partialMerge: (event: RemoteEvent, standing: ContextInbox.Standing, next: Int)?

  /// Who the history says makes the changes of this context.
  public final var author: String?
  /// Whether changes are saved without being asked for.
  public final var autosaveEnabled = false
  /// What a save does with objects that others have changed since they were read.
  public final var mergePolicy = MergePolicy.mergeByPropertyObjectTrump

  /// Creates a context of a container's stores.
  public convenience init(_ container: ModelContainer) {
    self.init(container.core, isSuccessor: false)
  }

  /// Creates a context that only reads, for objects whose own context is gone.
  convenience init(successorOn core: ContainerCore) {
    self.init(core, isSuccessor: true)
  }

  private init(_ core: ContainerCore, isSuccessor: Bool) {
    self.core = core
    self.isSuccessor = isSuccessor
    var byEntity: [String: any ContextStore] = [:]
    stores = core.stores.map { handle in
      let store = handle.contextStore(core.descriptions)
      for entity in handle.entities { byEntity[entity] = store }
      return store
    }
    storesByEntity = byEntity
    superclasses = Set(core.descriptions.values.compactMap { $0.parent?.name })
    recent.isOff = isSuccessor
  }

  deinit {
    let survivors = Survivors(core)
    for table in tables.values {
      for storage in table.everything {
        storage.context = nil
        survivors.add(storage)
      }
    }
    // New objects may be inserted into another context.
    for link in inserted.all + discarded.all { link.storage.phase = .unregistered }
    for link in deleted.all { link.storage.phase = .stored }
    for link in inserted.all + changed.all + deleted.all + discarded.all { link.storage.loosen() }
  }

  /// The container whose stores are read and written.
  public final var container: ModelContainer { core.container }

  /// What tells the edits of this context from those of others.
  public final var editingState: EditingState {
    EditingState(id: editingStateIdentifier, author: author)
  }

  public static func == (left: ModelContext, right: ModelContext) -> Bool { left === right }

  /// Returns the store of an entity.
  ///
  /// - Throws: ``SwiftDataError/unknownSchema`` if the container doesn't know it.
  final func store(of description: EntityDescription) throws -> any ContextStore {
    if let store = storesByEntity[description.name] { return store }
    throw unknownSchema(description)
  }

  /// The error that the container doesn't know a class.
  final func unknownSchema(_ description: EntityDescription) -> SwiftDataError {
    let isOther = core.descriptions[description.name] != nil
    var error = SwiftDataError(
      .unknownSchema,
      isOther
        ? "The container knows another \(description.name) than \(description.type)."
        : "The container doesn't know \(description.name).",
      hint: "Name \(description.name) among the models of the container."
    )
    error.entity = description.name
    return error
  }

  /// Whether objects of an entity may be of subclasses.
  final func hasSubclasses(_ description: EntityDescription) -> Bool {
    superclasses.contains(description.name)
  }
}

// MARK: - Registered objects

extension ModelContext {
  /// The registered objects of a hierarchy.
  final func table(of entity: EntityKey) -> IdentityTable {
    let key = ObjectIdentifier(entity.root)
    if let table = tables[key] { return table }
    let table = IdentityTable()
    tables[key] = table
    return table
  }

  /// All tables of registered objects.
  final var allTables: [IdentityTable] { Array(tables.values) }

  /// Returns what holds the values of an object if it is registered.
  final func registered(_ identifier: PersistentIdentifier) -> ModelStorage? {
    tables[ObjectIdentifier(identifier.entity.root)]?[identifier.key]
  }

  /// Makes an object the one for its identifier.
  final func register(_ storage: ModelStorage) {
    storage.context = self
    table(of: storage.identifier.entity).add(storage)
  }

  /// Takes an object out of the context; it keeps its values.
  final func unregister(_ storage: ModelStorage) {
    table(of: storage.identifier.entity).remove(storage)
    storage.context = nil
  }

  /// Forgets an object that nobody has any more.
  final func forget(_ storage: ModelStorage) {
    tables[ObjectIdentifier(storage.identifier.entity.root)]?.remove(storage)
  }

  /// The description of the entity that an identifier names.
  final func description(of identifier: PersistentIdentifier) -> EntityDescription? {
    core.descriptions[identifier.entityName]
  }
}
