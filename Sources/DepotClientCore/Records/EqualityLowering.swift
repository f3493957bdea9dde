package import DepotProtocol

/// A node of which a comparison with a constant is more than a comparison of values.
package protocol EqualityLowering {
  /// Returns what the service has for the question whether the node equals a constant; `nil` if a
  /// comparison of values will do.
  ///
  /// - Throws: ``DepotError`` `request.predicate` if a part has no counterpart.
  func lowerEquality(
    to constant: Any,
    in lowering: inout PredicateLowering
  ) throws(DepotError) -> QueryExpression?
}
