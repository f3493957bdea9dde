internal import DepotClient

/// The last values of the properties of an object that was deleted.
///
/// A relationship to one object has the object's identifier as its value.
public struct HistoryTombstone<Model: PersistentModel>: Sequence, Sendable {
  private let properties: [KnownKeyPath<PartialKeyPath<Model>>]
  private let values: [KnownKeyPath<PartialKeyPath<Model>>: any Sendable]

  /// Creates a tombstone.
  ///
  /// - Parameter values: The values that are kept.
  public init(_ values: [PartialKeyPath<Model>: any Sendable] = [:]) {
    let description = EntityDescription.of(Model.self)
    let slot = { (keyPath: PartialKeyPath<Model>) in
      description.property(keyPath)?.slot ?? Int.max
    }
    properties = values.keys.sorted { slot($0) < slot($1) }.map(KnownKeyPath.init)
    self.values = Dictionary(
      uniqueKeysWithValues: values.map { (KnownKeyPath(keyPath: $0), $1) }
    )
  }

  /// The properties, in the order of the class.
  public var keyPaths: [PartialKeyPath<Model>] { properties.map(\.keyPath) }

  /// The value of a property, if it is kept.
  public subscript(keyPath: PartialKeyPath<Model>) -> (any Sendable)? {
    values[KnownKeyPath(keyPath: keyPath)]
  }

  /// The values, in the order of the properties.
  public func makeIterator() -> AnyIterator<Any> {
    var rest = properties[...]
    return AnyIterator { rest.popFirst().flatMap { values[$0] } }
  }
}
