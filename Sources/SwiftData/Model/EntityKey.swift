internal import Synchronization

/// An entity of a store; there is one object for each, so that identifiers compare pointers.
final class EntityKey: Sendable {
  /// The identifier of the store; `nil` for objects that were never saved.
  let store: String?
  let name: String
  /// The topmost entity of the hierarchy; `nil` if it is this.
  private let topmost: EntityKey?

  /// The topmost entity of the hierarchy, whose objects all have different keys.
  var root: EntityKey { topmost ?? self }

  /// The identity of ``root``.
  var rootIdentity: ObjectIdentifier {
    if let topmost { ObjectIdentifier(topmost) } else { ObjectIdentifier(self) }
  }

  private init(store: String?, name: String, root: EntityKey?) {
    self.store = store
    self.name = name
    topmost = root
  }

  private struct Names: Hashable {
    var store: String?
    var entity: String
    var root: String
  }

  private static let known = Mutex<[Names: EntityKey]>([:])

  /// Returns the key of an entity, always the same object.
  static func of(store: String?, entity: String, root: String) -> EntityKey {
    known.withLock { known in
      let names = Names(store: store, entity: entity, root: root)
      if let key = known[names] { return key }
      var top: EntityKey?
      if entity != root {
        let rootNames = Names(store: store, entity: root, root: root)
        top = known[rootNames] ?? EntityKey(store: store, name: root, root: nil)
        known[rootNames] = top
      }
      let key = EntityKey(store: store, name: entity, root: top)
      known[names] = key
      return key
    }
  }
}

extension EntityDescription {
  /// Returns the key of the entity in a store; `nil` means objects that were never saved.
  func key(in store: String?) -> EntityKey {
    EntityKey.of(store: store, entity: name, root: root.name)
  }
}
