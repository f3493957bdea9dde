public import DepotProtocol

extension SaveConflict {
  /// Where a value is from.
  public enum Side: Hashable, Sendable {
    /// The values that the client had fetched.
    case base
    /// The values of the store.
    case store
    /// The values that the client wants.
    case client
  }

  /// Returns the value of a property; `nil` if that side doesn't have it.
  ///
  /// - Throws: ``DepotError`` `request.predicate` if the property isn't listed, `request.type` if the value
  ///   isn't of its type.
  public func value<Model: Record, Content: AttributeValue>(
    of keyPath: any KeyPath<Model, Content> & Sendable,
    in side: Side
  ) throws(DepotError) -> Content? {
    let path = try Model.property(keyPath).path
    let values =
      switch side {
      case .base: base
      case .store: store
      case .client: client
      }
    return try values[path].map { Array($0.text.utf8) }?.content()
  }

  /// Whether both sides have changed a property.
  ///
  /// - Throws: ``DepotError`` `request.predicate` if the property isn't listed.
  public func isContested<Model: Record>(
    _ keyPath: any PartialKeyPath<Model> & Sendable
  ) throws(DepotError) -> Bool {
    properties.contains(try Model.property(keyPath).path)
  }

  /// A program's decision about a conflict that its save was refused for.
  public enum Resolution: Sendable {
    /// Store the client's values after all.
    case client
    /// Leave out the client's change of the row.
    case store
    /// Store these values, by the paths of properties, and the client's values of other properties.
    case values([String: Value])
    /// Give up: the save fails.
    case fail

    /// Stores these values, and the client's values of other properties.
    ///
    /// - Throws: ``DepotError`` `request.predicate` if a property isn't listed.
    public static func set<Model: Record>(
      _ assignments: [Assignment<Model>]
    ) throws(DepotError) -> Resolution {
      let (names, values) = try assignments.columns()
      return .values(Dictionary(zip(names, values)) { $1 })
    }
  }
}
