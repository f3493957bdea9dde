/// The change of one object in a transaction.
public enum HistoryChange: Hashable, Sendable {
  case insert(any HistoryInsert)
  case update(any HistoryUpdate)
  case delete(any HistoryDelete)

  /// The identifier of the object.
  public var changedPersistentIdentifier: PersistentIdentifier {
    change.changedPersistentIdentifier
  }

  private var change: any HistoryModelChange {
    switch self {
    case .insert(let insert): insert
    case .update(let update): update
    case .delete(let delete): delete
    }
  }

  public static func == (left: Self, right: Self) -> Bool {
    AnyHashable(left.change) == AnyHashable(right.change)
  }

  public func hash(into hasher: inout Hasher) { hasher.combine(AnyHashable(change)) }
}

/// The change of one object in a transaction.
public protocol HistoryModelChange<Model>: Hashable, Identifiable, Sendable {
  associatedtype Model: PersistentModel
  associatedtype TransactionIdentifier: Comparable & Codable & Hashable & Sendable
  associatedtype ChangeIdentifier: Comparable & Codable & Hashable & Sendable

  var transactionIdentifier: TransactionIdentifier { get }
  /// The identifier of the change among those of its transaction.
  var changeIdentifier: ChangeIdentifier { get }
  /// The identifier of the object.
  var changedPersistentIdentifier: PersistentIdentifier { get }
}

/// An object that a transaction inserted.
public protocol HistoryInsert<Model>: HistoryModelChange {}

/// An object that a transaction changed.
public protocol HistoryUpdate<Model>: HistoryModelChange {
  /// The properties that changed.
  var updatedAttributes: [any PartialKeyPath<Model> & Sendable] { get }
}

/// An object that a transaction deleted.
public protocol HistoryDelete<Model>: HistoryModelChange {
  /// The last values of the object: those of properties with `.preserveValueOnDeletion`.
  var tombstone: HistoryTombstone<Model> { get }
}
