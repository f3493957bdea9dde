/// What a transaction changed in one object.
public enum HistoryChange: Hashable, Sendable {
  case insert(any HistoryInsert)
  case update(any HistoryUpdate)
  case delete(any HistoryDelete)

  /// What names the object.
  public var changedPersistentIdentifier: PersistentIdentifier {
    switch self {
    case .insert(let insert): insert.changedPersistentIdentifier
    case .update(let update): update.changedPersistentIdentifier
    case .delete(let delete): delete.changedPersistentIdentifier
    }
  }

  private var content: AnyHashable {
    switch self {
    case .insert(let insert): AnyHashable(insert)
    case .update(let update): AnyHashable(update)
    case .delete(let delete): AnyHashable(delete)
    }
  }

  public static func == (left: Self, right: Self) -> Bool { left.content == right.content }

  public func hash(into hasher: inout Hasher) { hasher.combine(content) }
}

/// An object that a transaction inserted.
public protocol HistoryInsert<Model>: Hashable, Identifiable, Sendable {
  associatedtype Model: PersistentModel
  associatedtype TransactionIdentifier: Comparable & Codable & Hashable & Sendable
  associatedtype ChangeIdentifier: Comparable & Codable & Hashable & Sendable

  var transactionIdentifier: TransactionIdentifier { get }
  /// What tells the change from others of its transaction.
  var changeIdentifier: ChangeIdentifier { get }
  /// What names the object.
  var changedPersistentIdentifier: PersistentIdentifier { get }
}

/// An object that a transaction changed.
public protocol HistoryUpdate<Model>: Hashable, Identifiable, Sendable {
  associatedtype Model: PersistentModel
  associatedtype TransactionIdentifier: Comparable & Codable & Hashable & Sendable
  associatedtype ChangeIdentifier: Comparable & Codable & Hashable & Sendable

  var transactionIdentifier: TransactionIdentifier { get }
  /// What tells the change from others of its transaction.
  var changeIdentifier: ChangeIdentifier { get }
  /// What names the object.
  var changedPersistentIdentifier: PersistentIdentifier { get }
  /// The properties that changed.
  var updatedAttributes: [any PartialKeyPath<Model> & Sendable] { get }
}

/// An object that a transaction deleted.
public protocol HistoryDelete<Model>: Hashable, Identifiable, Sendable {
  associatedtype Model: PersistentModel
  associatedtype TransactionIdentifier: Comparable & Codable & Hashable & Sendable
  associatedtype ChangeIdentifier: Comparable & Codable & Hashable & Sendable

  var transactionIdentifier: TransactionIdentifier { get }
  /// What tells the change from others of its transaction.
  var changeIdentifier: ChangeIdentifier { get }
  /// What named the object.
  var changedPersistentIdentifier: PersistentIdentifier { get }
  /// What is kept of the object: the properties with `.preserveValueOnDeletion`.
  var tombstone: HistoryTombstone<Model> { get }
}
