/// The errors of Apple's framework, and a few of Depot's own, for comparisons and `catch`.
extension SwiftDataError {
  /// A fetch in batches can't include changes that aren't saved.
  public static let includePendingChangesWithBatchSize = SwiftDataError(
    .includePendingChangesWithBatchSize,
    "A fetch in batches can't include changes that aren't saved.",
    hint: "Set includePendingChanges to false, or save first."
  )

  /// A predicate can be evaluated neither by the store nor in memory.
  public static let unsupportedPredicate = SwiftDataError(
    .unsupportedPredicate,
    "The predicate uses an expression that can't be evaluated."
  )

  /// A key path leads to a property that isn't stored.
  public static let unsupportedKeyPath = SwiftDataError(
    .unsupportedKeyPath,
    "The key path leads to a property that isn't stored.",
    hint: "Computed and @Transient properties aren't known to the store."
  )

  /// Identifiers of objects that aren't saved can't be sorted by their properties in the store.
  public static let sortingPendingChangesWithIdentifiers = SwiftDataError(
    .sortingPendingChangesWithIdentifiers,
    "Identifiers can't be sorted while changes are pending.",
    hint: "Save first, or set includePendingChanges to false."
  )

  /// Objects can't be sorted like that.
  public static let unsupportedSortDescriptor = SwiftDataError(
    .unsupportedSortDescriptor,
    "Objects can't be sorted by this.",
    hint: "Sort by stored attributes."
  )

  /// Two configurations of a container are for the same store.
  public static let duplicateConfiguration = SwiftDataError(
    .duplicateConfiguration,
    "Two configurations have the same name or URL."
  )

  /// The name of a configuration is too long for a file.
  public static let configurationFileNameTooLong = SwiftDataError(
    .configurationFileNameTooLong,
    "The configuration's name is too long for a file.",
    hint: "Use at most 200 bytes with the extension."
  )

  /// A configuration's name has characters that a file name can't have.
  public static let configurationFileNameContainsInvalidCharacters = SwiftDataError(
    .configurationFileNameContainsInvalidCharacters,
    "The configuration's name has characters that no file name may have.",
    hint: "Leave out / and U+0000."
  )

  /// A configuration has entities that the container's schema lacks.
  public static let configurationSchemaNotFoundInContainerSchema = SwiftDataError(
    .configurationSchemaNotFoundInContainerSchema,
    "A configuration has entities that the container's schema lacks.",
    hint: "List its model types in the container's schema too."
  )

  /// A container can't be opened.
  public static let loadIssueModelContainer = SwiftDataError(
    .loadIssueModelContainer,
    "The container can't be opened."
  )

  /// Objects can't be saved as they are.
  public static let modelValidationFailure = SwiftDataError(
    .modelValidationFailure,
    "Objects can't be saved as they are."
  )

  /// An object belongs to no context.
  public static let missingModelContext = SwiftDataError(
    .missingModelContext,
    "The object belongs to no context.",
    hint: "Insert it into a context first."
  )

  /// A store is of a later version than the program knows.
  public static let backwardMigration = SwiftDataError(
    .backwardMigration,
    "The store is of a later version than this program's schema.",
    hint: "Use a newer program."
  )

  /// A store is of a version that the migration plan doesn't know.
  public static let unknownSchema = SwiftDataError(
    .unknownSchema,
    "The store is of a version that the migration plan doesn't know.",
    hint: "Add that version's schema to the plan."
  )

  /// The history after a token is no longer available.
  ///
  /// The history expired, or the store was restored and the token belongs to the history before
  /// that.
  public static let historyTokenExpired = SwiftDataError(
    .historyTokenExpired,
    "The history after this token isn't kept any more.",
    hint: "Fetch the objects anew and continue from the newest token."
  )

  /// A history descriptor asks for something that can't be found.
  public static let invalidTransactionFetchRequest = SwiftDataError(
    .invalidTransactionFetchRequest,
    "The history descriptor asks for transactions that can't be found."
  )

  /// A custom store has a schema that isn't known.
  public static let unknownDataStoreSchema = SwiftDataError(
    .unknownDataStoreSchema,
    "The store's schema isn't known."
  )

  /// Others have changed the rows that a save changes; ``conflicts`` lists the differences.
  public static let saveConflict = SwiftDataError(
    .saveConflict,
    "Others have changed objects that this save changes."
  )

  /// The store failed; ``code`` says how.
  public static let storeFailure = SwiftDataError(.storeFailure, "The store failed.")

  /// An enumeration met changes that aren't saved.
  public static let escapingMutations = SwiftDataError(
    .escapingMutations,
    "The context has changes that aren't saved, and an enumeration lets none escape.",
    hint: "Save first, or enumerate with allowEscapingMutations: true."
  )

  /// A wait for a merge has reached its limit.
  public static let mergeTimeout = SwiftDataError(
    .mergeTimeout,
    "The contexts haven't merged the saves of others in time.",
    hint: "Wait again with a greater limit."
  )

  /// Returns the error with the names of an entity and a property.
  func about(_ entity: String?, _ property: String? = nil) -> SwiftDataError {
    var result = self
    result.entity = entity
    result.property = property
    return result
  }
}
