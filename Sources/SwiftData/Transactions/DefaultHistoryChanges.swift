internal import DepotClient

/// An object that a transaction of the service inserted.
public struct DefaultHistoryInsert<Model: PersistentModel>: HistoryInsert, Hashable,
  Identifiable
{
  let record: HistoryRecord

  public var transactionIdentifier: Int64 { record.transaction }
  public var changeIdentifier: Int64 { Int64(record.index) }
  public var changedPersistentIdentifier: PersistentIdentifier { record.identifier }
  public var id: PersistentIdentifier { record.identifier }

  /// Returns the value that a property had after the transaction.
  ///
  /// The value of a to-one relationship is the target's identifier. The result is `nil` if the
  /// value isn't known, or was `nil`.
  public func newValue(for keyPath: PartialKeyPath<Model>) -> (any Sendable)? {
    record.value(keyPath, in: record.change.newTexts)
  }
}

/// An object that a transaction of the service changed.
public struct DefaultHistoryUpdate<Model: PersistentModel>: HistoryUpdate, Hashable,
  Identifiable
{
  let record: HistoryRecord

  public var transactionIdentifier: Int64 { record.transaction }
  public var changeIdentifier: Int64 { Int64(record.index) }
  public var changedPersistentIdentifier: PersistentIdentifier { record.identifier }
  public var id: PersistentIdentifier { record.identifier }

  public var updatedAttributes: [any PartialKeyPath<Model> & Sendable] {
    record.properties.compactMap { property in
      record.description.keyPath(of: property, in: Model.self).map {
        // Key paths of properties have nothing that could change.
        unsafeBitCast($0, to: (any PartialKeyPath<Model> & Sendable).self)
      }
    }
  }

  /// Returns the value that a property had before the transaction.
  ///
  /// The value of a to-one relationship is the target's identifier. The result is `nil` if the
  /// value isn't known, or was `nil`.
  public func oldValue(for keyPath: PartialKeyPath<Model>) -> (any Sendable)? {
    record.value(keyPath, in: record.change.oldTexts)
  }

  /// Returns the value that a property had after the transaction.
  ///
  /// The value of a to-one relationship is the target's identifier. The result is `nil` if the
  /// value isn't known, or was `nil`.
  public func newValue(for keyPath: PartialKeyPath<Model>) -> (any Sendable)? {
    record.value(keyPath, in: record.change.newTexts)
  }
}

/// An object that a transaction of the service deleted.
public struct DefaultHistoryDelete<Model: PersistentModel>: HistoryDelete, Hashable,
  Identifiable
{
  let record: HistoryRecord

  public var transactionIdentifier: Int64 { record.transaction }
  public var changeIdentifier: Int64 { Int64(record.index) }
  public var changedPersistentIdentifier: PersistentIdentifier { record.identifier }
  public var id: PersistentIdentifier { record.identifier }

  public var tombstone: HistoryTombstone<Model> {
    var values: [PartialKeyPath<Model>: any Sendable] = [:]
    for property in record.description.properties where property.isPreserved {
      guard let keyPath = record.description.keyPath(of: property, in: Model.self) else { continue }
      values[keyPath] = oldValue(for: keyPath)
    }
    return HistoryTombstone(values)
  }

  /// Returns the last value of any property.
  ///
  /// The value of a to-one relationship is the target's identifier. The result is `nil` if the
  /// value isn't known, or was `nil`.
  public func oldValue(for keyPath: PartialKeyPath<Model>) -> (any Sendable)? {
    record.value(keyPath, in: record.change.oldTexts)
  }
}
