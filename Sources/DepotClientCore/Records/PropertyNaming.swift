package import DepotProtocol

/// The service's names for the types and properties of predicates, and its form of their constants.
package protocol PropertyNaming {
  /// Returns where a key path leads to from a value of a type; `nil` if the type is none of those
  /// whose properties it knows.
  ///
  /// - Throws: ``DepotError`` `request.predicate` if it knows the type, but not the property.
  func step(_ keyPath: AnyKeyPath, from root: Any.Type) throws(DepotError) -> PredicateStep?

  /// Returns the entity whose objects are of a type; `nil` if there is none.
  func entity(of type: Any.Type) -> String?

  /// Returns whether values of a type stand for a row.
  func isObject(_ type: Any.Type) -> Bool

  /// Returns whether values of a type are what a to-many relationship leads to.
  func isToMany(_ type: Any.Type) -> Bool

  /// Returns what the service has for a constant that is neither an ``AttributeValue`` nor an
  /// optional; `nil` if that goes by the general rules.
  func value(of constant: Any) -> Value?
}

/// Where a key path leads to.
package enum PredicateStep {
  /// To the property of this name.
  case name(String)
  /// To what is the same thing for the service.
  case same
}
