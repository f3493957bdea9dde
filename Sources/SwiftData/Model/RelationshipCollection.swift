/// A collection that a to-many relationship can be.
///
/// What it asks for isn't for programs to call, and has an underscore therefore.
// swift-format-ignore: NoLeadingUnderscores
public protocol RelationshipCollection {
  associatedtype PersistentElement: PersistentModel

  /// Creates the collection of some objects; `nil` makes the empty one, or `nil` if it can be.
  init(_$storages: [ModelStorage]?)

  /// What holds the objects' values; `nil` if there is no collection.
  var _$storages: [ModelStorage]? { get }

  /// Returns what holds the values of the objects behind those of an earlier collection; `nil` if it
  /// doesn't begin with these.
  func _$storages(behind earlier: Self) -> [ModelStorage]?
}

extension RelationshipCollection {
  // swift-format-ignore: NoLeadingUnderscores
  public func _$storages(behind earlier: Self) -> [ModelStorage]? { nil }
}

// Not for programs to call.
// swift-format-ignore: NoLeadingUnderscores
extension Array: RelationshipCollection where Element: PersistentModel {
  public typealias PersistentElement = Element

  public init(_$storages: [ModelStorage]?) {
    self.init()
    guard let storages = _$storages else { return }
    reserveCapacity(storages.count)
    for storage in storages {
      if let model = storage.model as? Element { append(model) }
    }
  }

  public var _$storages: [ModelStorage]? {
    var storages: [ModelStorage] = []
    storages.reserveCapacity(count)
    for element in self {
      if let storage = element.ownStorage { storages.append(storage) }
    }
    return storages
  }

  public func _$storages(behind earlier: [Element]) -> [ModelStorage]? {
    guard count >= earlier.count else { return nil }
    for index in earlier.indices where self[index] !== earlier[index] { return nil }
    return Array(self[earlier.count...])._$storages
  }
}

// Not for programs to call.
// swift-format-ignore: NoLeadingUnderscores
extension Optional: RelationshipCollection where Wrapped: RelationshipCollection {
  public typealias PersistentElement = Wrapped.PersistentElement

  public init(_$storages: [ModelStorage]?) { self = _$storages.map { Wrapped(_$storages: $0) } }

  public var _$storages: [ModelStorage]? { flatMap(\._$storages) }

  public func _$storages(behind earlier: Wrapped?) -> [ModelStorage]? {
    guard let self, let earlier else { return nil }
    return self._$storages(behind: earlier)
  }
}
