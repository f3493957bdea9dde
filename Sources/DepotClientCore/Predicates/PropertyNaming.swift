package import DepotProtocol

/// The service's names for the types and properties of predicates, and its form of their constants.
package protocol PropertyNaming {
  /// Returns the meaning of a key path from a value of a type; `nil` if it doesn't know the type.
  ///
  /// - Throws: ``DepotError`` `request.predicate` if it knows the type, but not the property.
  func step(_ keyPath: AnyKeyPath, from root: Any.Type) throws(DepotError) -> PredicateStep?

  /// Returns the entity whose objects are of a type; `nil` if there is none.
  func entity(of type: Any.Type) -> String?

  /// Returns whether values of a type represent a row.
  func isObject(_ type: Any.Type) -> Bool

  /// Returns whether a type is the value of a to-many relationship.
  func isToMany(_ type: Any.Type) -> Bool

  /// Returns the value of a constant that is neither an ``AttributeValue`` nor an optional.
  ///
  /// It returns `nil` if the general rules apply.
  func value(of constant: Any) -> Value?
}

/// Where a key path leads to.
package enum PredicateStep {
  /// To the property of this name.
  case name(String)
  /// To the same value: the service doesn't distinguish the two.
  case same
}
