/// A store that keeps the objects of containers, in a form of the program's own.
///
/// Contexts speak to a store in snapshots and identifiers. A container calls its store for one
/// context at a time, even if the contexts are on several threads.
public protocol DataStore: AnyObject {
  /// The description of where the store is.
  associatedtype Configuration: DataStoreConfiguration where Self == Configuration.Store
  /// The values of one object.
  associatedtype Snapshot: DataStoreSnapshot

  /// The identifier of the store, which no other store ever has.
  var identifier: String { get }

  /// The entities that the store holds.
  var schema: Schema { get }

  /// The description of where the store is.
  var configuration: Configuration { get }

  /// Opens the store.
  ///
  /// - Parameters:
  ///   - configuration: Where the store is; its schema is set.
  ///   - migrationPlan: The migrations of older versions of the schema.
  /// - Throws: The reason why the store can't be opened.
  init(_ configuration: Configuration, migrationPlan: (any SchemaMigrationPlan.Type)?) throws

  /// Deletes all objects.
  func erase() throws

  /// Returns the objects that a descriptor describes.
  ///
  /// - Throws: ``DataStoreError/preferInMemoryFilter`` or ``DataStoreError/preferInMemorySort`` to
  ///   leave that part to the context, or another error that says why the objects can't be fetched.
  func fetch<T: PersistentModel>(
    _ request: DataStoreFetchRequest<T>
  ) throws -> DataStoreFetchResult<T, Snapshot>

  /// Returns how many objects a descriptor describes.
  func fetchCount<T: PersistentModel>(_ request: DataStoreFetchRequest<T>) throws -> Int

  /// Returns the identifiers of the objects that a descriptor describes.
  func fetchIdentifiers<T: PersistentModel>(
    _ request: DataStoreFetchRequest<T>
  ) throws -> [PersistentIdentifier]

  /// Stores the changes of a context, all of them or none.
  ///
  /// - Throws: Why nothing is saved.
  func save(
    _ request: DataStoreSaveChangesRequest<Snapshot>
  ) throws -> DataStoreSaveChangesResult<Snapshot>

  /// Prepares for a context, before its first request.
  func initializeState(for editingState: EditingState)

  /// Forgets a context that has ended.
  func invalidateState(for editingState: EditingState)

  /// Returns the snapshots of some objects that the store has at hand.
  func cachedSnapshots(
    for persistentIdentifiers: [PersistentIdentifier],
    editingState: EditingState
  ) throws -> [PersistentIdentifier: Snapshot]
}

extension DataStore {
  /// Counts the identifiers that ``fetchIdentifiers(_:)`` returns.
  ///
  /// - Throws: The errors of ``fetchIdentifiers(_:)``.
  public func fetchCount<T: PersistentModel>(_ request: DataStoreFetchRequest<T>) throws -> Int {
    try fetchIdentifiers(request).count
  }

  /// Fetches the objects for their identifiers.
  ///
  /// - Throws: The errors of ``fetch(_:)``.
  public func fetchIdentifiers<T: PersistentModel>(
    _ request: DataStoreFetchRequest<T>
  ) throws -> [PersistentIdentifier] {
    let description = EntityDescription.of(T.self)
    let identifiers = try fetch(request).fetchedSnapshots.map(\.persistentIdentifier).filter {
      EntityDescription.named($0.entityName)?.isKind(of: description) ?? true
    }
    return request.descriptor.fetchLimit.map { Array(identifiers.prefix(max(0, $0))) }
      ?? identifiers
  }

  /// Does nothing.
  public func initializeState(for editingState: EditingState) {}

  /// Does nothing.
  public func invalidateState(for editingState: EditingState) {}

  /// Returns no snapshots.
  public func cachedSnapshots(
    for persistentIdentifiers: [PersistentIdentifier],
    editingState: EditingState
  ) throws -> [PersistentIdentifier: Snapshot] { [:] }

  /// Fetches all objects and saves their deletion.
  ///
  /// - Throws: The errors of ``fetch(_:)`` and ``save(_:)``.
  public func erase() throws { try removeAll(schema.descriptions) }
}
