public import DepotProtocol
internal import Foundation

/// Why something can't be done.
///
/// Errors of one kind are equal, regardless of their other members: the kinds are the errors of
/// Apple's framework.
public struct SwiftDataError: Error, Sendable {
  /// The kind of error, for comparisons.
  var kind: Kind
  /// The failure, as a sentence.
  public var message: String
  /// The entity that it is about.
  public var entity: String?
  /// The property that it is about.
  public var property: String?
  /// Advice on how to solve the problem.
  public var hint: String?
  /// The service's code, as in `conflict.unique`, if the service said so.
  public var code: String?
  /// The service's whole error.
  public var serviceError: DepotError?
  /// The conflicts that kept a save from being made.
  public var conflicts: [SaveConflict] = []

  enum Kind: String, Hashable, Sendable {
    case includePendingChangesWithBatchSize, unsupportedPredicate, unsupportedKeyPath
    case sortingPendingChangesWithIdentifiers, unsupportedSortDescriptor
    case duplicateConfiguration, configurationFileNameTooLong
    case configurationFileNameContainsInvalidCharacters
    case configurationSchemaNotFoundInContainerSchema
    case loadIssueModelContainer, modelValidationFailure, missingModelContext
    case backwardMigration, unknownSchema, historyTokenExpired, invalidTransactionFetchRequest
    case unknownDataStoreSchema
    /// Failures for which Apple's framework has no name.
    case saveConflict, storeFailure, escapingMutations, mergeTimeout
  }

  init(
    _ kind: Kind,
    _ message: String,
    hint: String? = nil,
    entity: String? = nil,
    property: String? = nil
  ) {
    self.kind = kind
    self.message = message
    self.hint = hint
    self.entity = entity
    self.property = property
  }
}
