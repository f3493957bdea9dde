/// The last values of the properties of an object that was deleted.
///
/// A relationship to one object has the object's identifier as its value.
// because key paths of properties have nothing that could change, and the values are Sendable
public struct HistoryTombstone<Model: PersistentModel>: Sequence, @unchecked Sendable {
  /// The properties, in the order of the class.
  public let keyPaths: [PartialKeyPath<Model>]
  private let values: [PartialKeyPath<Model>: any Sendable]

  /// Creates a tombstone.
  ///
  /// - Parameter values: The values that are kept.
  public init(_ values: [PartialKeyPath<Model>: any Sendable] = [:]) {
    let description = EntityDescription.of(Model.self)
    let slot = { (keyPath: PartialKeyPath<Model>) in
      description.property(keyPath)?.slot ?? Int.max
    }
    keyPaths = values.keys.sorted { slot($0) < slot($1) }
    self.values = values
  }

  /// The value of a property, if it is kept.
  public subscript(keyPath: PartialKeyPath<Model>) -> (any Sendable)? { values[keyPath] }

  /// The values, in the order of the properties.
  public func makeIterator() -> AnyIterator<Any> {
    var rest = keyPaths[...]
    return AnyIterator { rest.popFirst().flatMap { values[$0] } }
  }
}
