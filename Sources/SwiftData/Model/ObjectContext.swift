/// A context as its objects use it: it reads their values, and it notes their changes.
protocol ObjectContext: AnyObject {
  /// Whether this only reads, for objects whose own context no longer exists.
  var isSuccessor: Bool { get }
  /// Whether the stores belong to a stage of a migration.
  var isMigrating: Bool { get }
  /// Whether relationships hide objects that are to be deleted.
  var hidesDeleted: Bool { get }
  /// Whether changes are recorded, to be undone.
  var recordsChanges: Bool { get }
  /// The entities of the container by their names.
  var descriptions: [String: EntityDescription] { get }

  /// Whether a list is the old value of a recorded change.
  func keeps(_ list: ObjectReferenceList) -> Bool

  /// Returns the storage of an object if it is registered.
  func registered(_ identifier: PersistentIdentifier) -> ModelStorage?

  /// Registers an object for its identifier; returns the one that was registered before.
  @discardableResult
  func register(_ storage: ModelStorage) -> ModelStorage?

  /// Inserts an object with all objects that its relationships lead to.
  func insert(_ storage: ModelStorage)

  /// Returns the object of an identifier, perhaps unread; `nil` if it can't exist.
  func fault(_ identifier: PersistentIdentifier) -> ObjectReference?

  /// Reads the missing values of an object's row.
  func load(_ storage: ModelStorage, _ slot: Int, isAsked: Bool)

  /// Reads the targets of a to-many relationship.
  func loadTargets(_ storage: ModelStorage, _ slot: Int)

  /// Returns the object that a to-one relationship of `storage` leads to.
  func resolve(
    _ identifier: PersistentIdentifier,
    from storage: ModelStorage,
    _ slot: Int
  ) -> ObjectReference?

  /// Returns the objects of identifiers, without deleted ones.
  func resolve(
    _ identifiers: [PersistentIdentifier],
    from storage: ModelStorage,
    _ slot: Int
  ) -> [ObjectReference]

  /// Notes that an object is changed that wasn't before.
  func noteChanged(_ storage: ModelStorage)

  /// Notes that a property is about to be changed.
  func willChange(_ storage: ModelStorage, _ slot: Int)

  /// Makes the next save throw that a change can't be made.
  func refuse(_ message: String, _ description: EntityDescription?, hint: String?)

  /// Merges the waiting changes of others before the context is used, as far as that can be done.
  func mergePendingEvents()

  /// Ends the program where the calling thread runs jobs of an actor other than the context's.
  func checkActor(_ subject: () -> String)
}
