internal import Foundation

/// The key paths of subclasses to properties that they inherit.
///
/// `\BusinessTrip.title` and `\Trip.title` are different, and nothing in either says which property it
/// is; so an object is asked for the value, and what it reads is noted.
enum InheritedKeyPaths {
  /// Returns the inherited property that a key path of a subclass leads to; `nil` if it leads to none,
  /// or to a computed one.
  static func property(
    _ keyPath: AnyKeyPath,
    of type: any PersistentModel.Type,
    _ parent: EntityDescription?
  ) -> PropertyDescription? {
    guard let parent, Swift.type(of: keyPath).rootType == type else { return nil }
    return probe(keyPath, type, parent, parent.root.type)
  }

  private static func probe<Root: PersistentModel>(
    _ keyPath: AnyKeyPath,
    _ type: any PersistentModel.Type,
    _ parent: EntityDescription,
    _: Root.Type
  ) -> PropertyDescription? {
    guard let type = type as? Root.Type else { return nil }
    var found: PropertyDescription?
    // A computed property may happen to give back one value as it is, but not both.
    for round in 0..<2 {
      let probe = ProbeBackingData<Root>(round: round)
      let object = type.init(backingData: probe)
      probe.reads = []
      let value = (object as Any)[keyPath: keyPath]
      guard probe.reads.count == 1, let read = probe.reads.first,
        let property = parent.property(read),
        Swift.type(of: read).valueType == Swift.type(of: keyPath).valueType,
        found == nil || found === property
      else { return nil }
      if let codec = property.codec, let value, let given = probe.given,
        !codec.areEqual(value, given)
      {
        return nil
      }
      found = property
    }
    return found
  }
}

/// Backing data that notes what is read, and gives values that are unlike others.
private final class ProbeBackingData<Model: PersistentModel>: BackingData {
  var reads: [AnyKeyPath] = []
  /// The value that was given.
  var given: Any?
  var persistentModelID: PersistentIdentifier?
  private let round: Int

  init(round: Int) { self.round = round }
  convenience init(for modelType: Model.Type) { self.init(round: 0) }

  private func value<V>(_ key: AnyKeyPath) -> V {
    reads.append(key)
    let candidates: [Any] = [
      "aB\(round)", 4_711 + round, Double(round) + 0.25, round == 0,
      Date(timeIntervalSinceReferenceDate: Double(round) + 0.5), UUID(), Data([7, UInt8(round)]),
    ]
    let value: V =
      candidates.lazy.compactMap { $0 as? V }.first
      ?? EntityDescription.of(Model.self).placeholder(key)
    given = value
    return value
  }

  func getValue<V: Decodable>(forKey key: KeyPath<Model, V>) -> V { value(key) }
  func getValue<V: PersistentModel>(forKey key: KeyPath<Model, V>) -> V {
    reads.append(key)
    return V(backingData: DefaultBackingData<V>(for: V.self))
  }
  func getValue<V: PersistentModel>(forKey key: KeyPath<Model, V?>) -> V? {
    reads.append(key)
    return nil
  }
  func getValue<V: RelationshipCollection, O>(
    forKey key: KeyPath<Model, V>
  ) -> V where O == V.PersistentElement { empty(key) }
  func getValue<V: Decodable & RelationshipCollection, O>(
    forKey key: KeyPath<Model, V>
  ) -> V where O == V.PersistentElement { empty(key) }
  func getTransformableValue<V>(forKey key: KeyPath<Model, V>) -> V { value(key) }

  private func empty<V: RelationshipCollection>(_ key: KeyPath<Model, V>) -> V {
    reads.append(key)
    return V(_$storages: [])
  }

  func setValue<V: Encodable>(forKey key: KeyPath<Model, V>, to newValue: V) {}
  func setValue<V: PersistentModel>(forKey key: KeyPath<Model, V>, to newValue: V) {}
  func setValue<V: PersistentModel>(forKey key: KeyPath<Model, V?>, to newValue: V?) {}
  func setValue<V: RelationshipCollection, O>(
    forKey key: KeyPath<Model, V>,
    to newValue: V
  ) where O == V.PersistentElement {}
  func setValue<V: Encodable & RelationshipCollection, O>(
    forKey key: KeyPath<Model, V>,
    to newValue: V
  ) where O == V.PersistentElement {}
  func setTransformableValue<V>(forKey key: KeyPath<Model, V>, to newValue: V) {}
}

extension EntityDescription {
  fileprivate func placeholder<V>(_ keyPath: AnyKeyPath) -> V {
    properties[slot(of: keyPath)].placeholder(V.self)
  }
}
