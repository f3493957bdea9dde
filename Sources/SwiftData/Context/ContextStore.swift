internal import DepotClient
internal import DepotProtocol

/// The keeper of the objects of some entities: the service, or a program's own store.
protocol ContextStore: AnyObject {
  /// The identifier of the store, the same in every process.
  var identifier: String { get }
  var allowsSave: Bool { get }
  /// Whether the store evaluates ``StoreQuery/request``.
  ///
  /// Otherwise it uses ``StoreQuery/descriptor``; a context with unsaved changes then reads all
  /// objects of an entity, and filters and sorts them itself.
  var takesExpressions: Bool { get }

  /// Reads objects into the context; returns them in their order.
  func fetch(_ query: StoreQuery, into context: ModelContext) throws -> [ObjectReference]

  /// Counts objects, for a context.
  func count(_ query: StoreQuery, in context: ModelContext) throws -> Int

  /// Finds the identifiers of objects in their order, for a context.
  func identifiers(_ query: StoreQuery, in context: ModelContext) throws -> [PersistentIdentifier]

  /// Reads objects into the context in batches, from one snapshot if the store can.
  func enumerate(
    _ query: StoreQuery,
    batchSize: Int,
    into context: ModelContext,
    _ body: ([ObjectReference]) throws -> Void
  ) throws

  /// Deletes the rows that satisfy a predicate at once, for a context, and applies delete rules.
  func delete(_ query: StoreQuery, in context: ModelContext) throws

  /// Gives new values to the rows that satisfy a predicate at once, for a context; returns how many there
  /// were.
  func update(
    _ query: StoreQuery,
    _ assignments: [StoreAssignment],
    in context: ModelContext
  ) throws -> Int

  /// Inserts rows of an entity at once, for a context, each as the slots of its properties.
  func insert(
    _ rows: [[Slot]],
    of description: EntityDescription,
    in context: ModelContext
  ) throws

  /// Computes aggregates of groups of objects, for a context.
  func aggregate(_ request: StoreAggregation, in context: ModelContext) throws -> [[Value]]

  /// Reads the rows of objects of one hierarchy into the context; deleted rows are left out.
  ///
  /// `slots` are the properties to read; all except external ones if `nil`.
  func rows(
    _ identifiers: [PersistentIdentifier],
    of description: EntityDescription,
    slots: [Int]?,
    into context: ModelContext
  ) throws -> [ObjectReference]

  /// Reads the targets of a to-many relationship of some objects of one entity into the context.
  ///
  /// - Returns: The targets of each object, in order.
  func targets(
    of sources: [PersistentIdentifier],
    _ description: EntityDescription,
    slot: Int,
    into context: ModelContext
  ) throws -> [[ObjectReference]]

  /// Checks whether the store can accept the changes.
  ///
  /// - Throws: ``SwiftDataError/modelValidationFailure`` if a value can't be stored.
  func check(_ changes: SaveChanges) throws

  /// Saves changes, all of them or none.
  func save(_ changes: SaveChanges) throws -> SaveOutcome

  /// Whether the store distinguishes a to-many relationship without a collection from an empty one.
  var keepsMissingLists: Bool { get }

  /// Whether there is a save with an unknown outcome.
  var isInDoubt: Bool { get }

  /// Sends a save with an unknown outcome again; it isn't made twice.
  ///
  /// - Returns: The save and its outcome; `nil` if there is none, or it isn't made.
  /// - Throws: ``SwiftDataError`` if the outcome can't be found out now.
  func settle() throws -> (SentChanges, SaveOutcome)?

  /// Leaves the outcome of a save unknown.
  func giveUpDoubt()

  /// Returns the last transaction of the store's history; `nil` if others don't learn of it from there.
  func lastTransaction() throws -> DepotProtocol.HistoryToken?

  /// Returns the rows that exist among some of an entity; `nil` if a save needn't know that.
  func existingRows(among rows: [Int64], of description: EntityDescription) throws -> Set<Int64>?

  /// Calls a function with the deletions of objects of one class that the history keeps.
  func deletions(
    of links: [ObjectReference],
    _ description: EntityDescription,
    _ body: (ObjectReference, DepotClient.HistoryChange) -> Void
  ) throws

  /// Does something with the program's own store; `nil` if the service keeps the objects.
  func withOwnStore<Result>(
    in context: ModelContext,
    _ body: (AnyObject) throws -> Result?
  ) throws -> Result?
}

extension ContextStore {
  func check(_ changes: SaveChanges) throws {}
  var keepsMissingLists: Bool { false }
  var isInDoubt: Bool { false }
  func settle() throws -> (SentChanges, SaveOutcome)? { nil }
  func giveUpDoubt() {}
  func lastTransaction() throws -> DepotProtocol.HistoryToken? { nil }
  func existingRows(
    among rows: [Int64],
    of description: EntityDescription
  ) throws -> Set<Int64>? { nil }

  func deletions(
    of links: [ObjectReference],
    _ description: EntityDescription,
    _ body: (ObjectReference, DepotClient.HistoryChange) -> Void
  ) throws {}

  func withOwnStore<Result>(
    in context: ModelContext,
    _ body: (AnyObject) throws -> Result?
  ) throws -> Result? { nil }
}

/// A property with its new value, or the expression of that value.
enum StoreAssignment {
  case value(PropertyDescription, Slot)
  case expression(PropertyDescription, QueryExpression)

  var property: PropertyDescription {
    switch self {
    case .value(let property, _), .expression(let property, _): property
    }
  }
}

/// Groups of objects, and the aggregates of each group.
struct StoreAggregation {
  var query: StoreQuery
  var keys: [QueryExpression]
  var values: [(QueryExpression.Aggregate, QueryExpression?)]
  /// The types of the keys and then of the values.
  var types: [AttributeType]
}

/// A description of the objects that are wanted.
struct StoreQuery {
  let description: EntityDescription
  /// The same for a service, without the columns that are read.
  var request: FetchRequest
  /// The properties to read; all that aren't external if `nil`.
  var slots: [Int]?
  /// Whether the lists of the context's objects are read anew when they are used.
  var renewsLists = false
  /// The fetch descriptor that it was made from, for a store that reads that.
  var descriptor: Any?

  init(_ description: EntityDescription, _ predicate: QueryExpression? = nil) {
    self.description = description
    request = FetchRequest(entity: description.name, predicate: predicate, namesColumns: false)
  }
}

/// The changes of a context that one store saves.
struct SaveChanges {
  var inserted: [ObjectReference] = []
  var updated: [ObjectReference] = []
  var deleted: [ObjectReference] = []
  /// The objects that must be as they were read.
  var required: [RequiredObject] = []
  var policy: MergePolicy
  var author: String?
  var editingState: EditingState

  var isEmpty: Bool { inserted.isEmpty && updated.isEmpty && deleted.isEmpty }
}

/// The outcome of a save.
struct SaveOutcome {
  /// The identifiers and versions of the inserted objects, in their order.
  var inserted: [(identifier: PersistentIdentifier, version: Int64)] = []
  /// Whether some of the inserted objects have rows that were there before.
  var hasAdopted = false
  /// The versions of the updated objects, in their order; `nil` where nothing was sent.
  var updated: [Int64?] = []
  /// The objects whose rows differ from the context's values.
  var stale: [ObjectReference] = []
  /// The objects that were to be deleted and that the store keeps, as the policy says.
  var kept: [ObjectReference] = []
  /// The conflicts that the context has won.
  var wonConflicts: [SaveConflict] = []
  var token: DepotProtocol.HistoryToken?
  /// The token of a store of the program's own.
  var ownToken: (any HistoryToken)?
}
