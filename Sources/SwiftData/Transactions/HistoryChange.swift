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

  /// Changes of types that can't be compared are equal if they have the same object and the same
  /// position in a transaction.
  public static func == (left: Self, right: Self) -> Bool {
    if let left = left.change as? any Hashable, let right = right.change as? any Hashable {
      return AnyHashable(left) == AnyHashable(right)
    }
    return type(of: left.change) == type(of: right.change)
      && left.change.place == right.change.place
      && left.changedPersistentIdentifier == right.changedPersistentIdentifier
  }

  public func hash(into hasher: inout Hasher) { hasher.combine(changedPersistentIdentifier) }
}

/// The change of one object in a transaction.
public protocol HistoryModelChange<Model>: Sendable {
  associatedtype Model: PersistentModel
  associatedtype TransactionIdentifier: Comparable & Hashable & Sendable
  associatedtype ChangeIdentifier: Comparable & Hashable & Sendable

  var transactionIdentifier: TransactionIdentifier { get }
  /// The identifier of the change in its transaction.
  var changeIdentifier: ChangeIdentifier { get }
  /// The identifier of the object.
  var changedPersistentIdentifier: PersistentIdentifier { get }
}

extension HistoryModelChange {
  /// The identifiers of the transaction and of the change in it.
  fileprivate var place: [AnyHashable] {
    [AnyHashable(transactionIdentifier), AnyHashable(changeIdentifier)]
  }
}

/// An object that a transaction inserted.
public protocol HistoryInsert<Model>: HistoryModelChange {}

/// An object that a transaction changed.
public protocol HistoryUpdate<Model>: HistoryModelChange {
  /// The key path of a property that changed.
  typealias PropertyUpdate = PartialKeyPath<Model> & Sendable

  /// The properties that changed.
  var updatedAttributes: [any PartialKeyPath<Model> & Sendable] { get }
}

/// An object that a transaction deleted.
public protocol HistoryDelete<Model>: HistoryModelChange {
  /// The last values of the object's properties with `.preserveValueOnDeletion`.
  var tombstone: HistoryTombstone<Model> { get }
}
