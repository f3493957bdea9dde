/// The values of one object, as a store and a context exchange them.
///
/// It encodes its values by the names of the properties, as ``DataStoreSnapshotCodingKey`` spells them:
/// attributes as they are, a relationship as the identifier or the identifiers that it leads to.
public protocol DataStoreSnapshot: Codable, Sendable {
  /// The identifier of the object.
  var persistentIdentifier: PersistentIdentifier { get }

  /// Creates the snapshot of an object.
  ///
  /// - Parameters:
  ///   - backingData: The storage of the object's values.
  ///   - relatedBackingDatas: The storages of other objects, by their identifiers; a snapshot may
  ///     add the storages of related objects.
  init(
    from backingData: any BackingData,
    relatedBackingDatas: inout [PersistentIdentifier: any BackingData]
  )

  /// Returns the same values under another identifier.
  ///
  /// - Parameters:
  ///   - persistentIdentifier: The identifier of the object from now on.
  ///   - remappedIdentifiers: The replacements of identifiers that relationships lead to.
  /// - Returns: The copy.
  func copy(
    persistentIdentifier: PersistentIdentifier,
    remappedIdentifiers: [PersistentIdentifier: PersistentIdentifier]?
  ) -> Self
}

extension DataStoreSnapshot {
  /// Returns the same values under another identifier.
  public func copy(persistentIdentifier: PersistentIdentifier) -> Self {
    copy(persistentIdentifier: persistentIdentifier, remappedIdentifiers: nil)
  }
}

/// A value that a snapshot has.
public typealias DataStoreSnapshotValue = Codable & Sendable

/// The keys under which a snapshot encodes itself.
public enum DataStoreSnapshotCodingKey: CodingKey, Hashable, Sendable {
  /// The identifier of the object.
  case persistentIdentifier
  /// The value of a property.
  case modeledProperty(String)

  public init?(stringValue: String) {
    self =
      stringValue == Self.identifierKey ? .persistentIdentifier : .modeledProperty(stringValue)
  }

  /// Is `nil`: properties have no numbers.
  public init?(intValue: Int) { nil }

  public var stringValue: String {
    switch self {
    case .persistentIdentifier: Self.identifierKey
    case .modeledProperty(let name): name
    }
  }

  public var intValue: Int? { nil }

  private static let identifierKey = "persistentIdentifier"
}
