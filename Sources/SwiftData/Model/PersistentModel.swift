public import Observation

/// A class whose objects a container stores; the macro `@Model` makes one.
public protocol PersistentModel: AnyObject, Observable, Hashable, Identifiable, PlainValue,
  SendableMetatype
{
  /// The topmost class of the hierarchy.
  associatedtype Root: PersistentModel = Self

  /// Creates an object over values that are there already.
  init(backingData: any BackingData<Self>)

  /// The storage of the object's values.
  var persistentBackingData: any BackingData<Self> { get set }

  /// The properties that are stored.
  static var schemaMetadata: [Schema.PropertyMetadata] { get }

  /// The class's own key paths to properties that it inherits or that subclasses may inherit, by their
  /// names; `@Model` makes them.
  // swift-format-ignore: NoLeadingUnderscores
  static var _$keyPaths: [String: AnyKeyPath] { get }

  /// The registrar of observers, for changes that come from elsewhere, as Apple's expansions name it.
  // swift-format-ignore: NoLeadingUnderscores
  var _$observationRegistrar: ObservationRegistrar { get }
}

extension PersistentModel {
  /// Returns the storage of a new object's values.
  public static func createBackingData<P: PersistentModel>() -> some BackingData<P> {
    DefaultBackingData<P>(for: P.self)
  }

  /// Returns the storage of values for an object of this class that is being made.
  ///
  /// It is the final one where the calling thread makes an object of a store. `@Model` uses it if its own
  /// initializer takes over values.
  // swift-format-ignore: NoLeadingUnderscores
  @inlinable
  public static func _$newBackingData() -> DefaultBackingData<Self> {
    AwaitedStorage.take(Self.self) ?? DefaultBackingData(for: Self.self)
  }

  /// Hands over the values that a subclass's initializer gave its own properties.
  ///
  /// The superclass's backing data has all values from then on; `@Model` calls it.
  // swift-format-ignore: NoLeadingUnderscores
  public static func _$join(
    _ own: any BackingData<Self>,
    into inherited: any BackingData<Root>
  ) {
    guard let own = own._$storage else { return }
    inherited._$storage?.takeOver(own)
  }

  /// None, as of a class that inherits nothing.
  // swift-format-ignore: NoLeadingUnderscores
  public static var _$keyPaths: [String: AnyKeyPath] { [:] }

  /// Links the values that the initializer set before the object existed; `@Model` calls it at the
  /// end.
  // swift-format-ignore: NoLeadingUnderscores
  public func _$linkInitialized() { _ = ownStorage }

  /// The registrar of a class that has none of its own.
  // swift-format-ignore: NoLeadingUnderscores
  public var _$observationRegistrar: ObservationRegistrar {
    persistentBackingData._$storage?.registrar ?? ObservationRegistrar()
  }

  /// The identifier of the object in every context and every process.
  public var persistentModelID: PersistentIdentifier {
    if let storage { return storage.identifier }
    return persistentBackingData.persistentModelID
      ?? .temporary(EntityDescription.of(Self.self).temporaryKey)
  }

  public var id: PersistentIdentifier { persistentModelID }

  /// Whether the object has changes that aren't saved.
  public var hasChanges: Bool { storage?.hasChanges ?? false }

  /// Whether the object was deleted and that isn't saved yet, or others have deleted it.
  ///
  /// It is `false` once the object's own context has saved the deletion, as on Apple's systems. It is
  /// `true` once a new object of its context with the same unique values has taken its row over.
  public var isDeleted: Bool { storage?.isDeleted ?? false }

  public static func == (left: Self, right: Self) -> Bool { left === right }

  public func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }

  /// The storage of the values, if it is Depot's own.
  var storage: ModelStorage? { persistentBackingData._$storage }

  /// The storage of the values, which knows of the object's own class.
  var ownStorage: ModelStorage? {
    guard let storage = persistentBackingData._$storage else { return nil }
    storage.adopt(self)
    return storage
  }
}
