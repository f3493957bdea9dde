package import DepotProtocol
package import FoundationEssentials

/// A condition on a value that may be missing, as in `$0.section?.contains("x")`.
///
/// The service's conditions are true or false, never missing, so the predicate has to give a
/// missing value a meaning: `== true`, `?? false`, or `if let`.
package protocol OptionalCondition {
  /// Returns whether the value is there, and whether the condition holds for it; `nil` if this is
  /// no condition but a value.
  func lowerOptional(
    in lowering: inout PredicateLowering
  ) throws(DepotError) -> (isPresent: QueryExpression, holds: QueryExpression)?
}

extension PredicateExpressions.OptionalFlatMap: OptionalCondition, LowerableExpression {
  package func lowerOptional(
    in lowering: inout PredicateLowering
  ) throws(DepotError) -> (isPresent: QueryExpression, holds: QueryExpression)? {
    guard RHS.Output.self == Bool.self else { return nil }
    let value = try lowering.value(wrapped)
    lowering.bindings[variable.key] = value
    return (lowering.isPresent(value, as: Wrapped.self), try lowering.predicate(transform))
  }

  package func lower(in lowering: inout PredicateLowering) throws(DepotError) -> QueryExpression {
    if let (isPresent, holds) = try lowerOptional(in: &lowering) {
      return .conditional(isPresent, holds, .value(.null))
    }
    let value = try lowering.value(wrapped)
    lowering.bindings[variable.key] = value
    let result = try lowering.value(transform)
    // Computing with null gives null, as the optional chain does; anything else needs a condition.
    return result.isNullWhereNull(value)
      ? result : .conditional(lowering.isPresent(value, as: Wrapped.self), result, .value(.null))
  }
}

extension PredicateExpressions.NilCoalesce: LowerableExpression {
  package func lower(in lowering: inout PredicateLowering) throws(DepotError) -> QueryExpression {
    if Output.self is any Collection.Type, Output.self != Data.self,
      !(Output.self is any StringProtocol.Type)
    {
      throw lowering.refusal("?? with a collection, as a whole")
    }
    guard Output.self == Bool.self else {
      let otherwise = try lowering.value(rhs)
      let value = try lowering.value(lhs).converted(to: Output.self)
      return .coalesce([value, otherwise].flatMap(\.alternatives))
    }
    let isPresent: QueryExpression
    let holds: QueryExpression
    if let condition = try (lhs as? any OptionalCondition)?.lowerOptional(in: &lowering) {
      (isPresent, holds) = condition
    } else {
      let value = try lowering.value(lhs)
      isPresent = .comparison(.notEqual, value, .value(.null))
      holds = .comparison(.equal, value, .value(.bool(true)))
    }
    switch Constant(rhs)?.value as? Bool {
    case false?: return .and([isPresent, holds])
    case true?: return .or([.not(isPresent), holds])
    case nil:
      let otherwise = try lowering.predicate(rhs)
      return .or([.and([isPresent, holds]), .and([.not(isPresent), otherwise])])
    }
  }
}

/// A collection, or else another one.
private protocol CoalescedCollection {
  /// Returns the collection if the other one has no elements.
  func lowerContents(in lowering: inout PredicateLowering) throws(DepotError) -> QueryExpression?
}

extension PredicateExpressions.NilCoalesce: CoalescedCollection {
  fileprivate func lowerContents(
    in lowering: inout PredicateLowering
  ) throws(DepotError) -> QueryExpression? {
    guard let other = Constant(rhs)?.value as? any Collection, other.isEmpty,
      !(other is any StringProtocol), !(other is Data)
    else { return nil }
    return try lowering.contents(of: lhs)
  }
}

extension PredicateLowering {
  /// Translates a collection whose elements are used, so that a missing one has no elements.
  package mutating func contents(
    of node: any PredicateExpression
  ) throws(DepotError) -> QueryExpression {
    if let node = node as? any CoalescedCollection,
      let contents = try node.lowerContents(in: &self)
    {
      return contents
    }
    return try value(node)
  }

  /// Returns the condition that a value isn't missing.
  ///
  /// A to-many relationship isn't missing if its row exists.
  package func isPresent(_ value: QueryExpression, as type: Any.Type) -> QueryExpression {
    guard names.isToMany(type) else { return .comparison(.notEqual, value, .value(.null)) }
    switch value {
    case .attribute(let path):
      return path.parentPath.map { .comparison(.notEqual, .attribute($0), .value(.null)) }
        ?? .and([])
    case .member(let base, let path):
      let owner = path.parentPath.map { QueryExpression.member(base, $0) } ?? base
      return .comparison(.notEqual, owner, .value(.null))
    default: return .and([])
    }
  }
}

extension QueryExpression {
  /// The parts of a coalescing.
  fileprivate var alternatives: [QueryExpression] {
    if case .coalesce(let list) = self { list } else { [self] }
  }

  /// Whether this gives null wherever `value` does.
  fileprivate func isNullWhereNull(_ value: QueryExpression) -> Bool {
    if self == value { return true }
    switch (self, value) {
    case (.attribute(let path), .attribute(let start)): return path.hasPrefix(start + ".")
    case (.member(let base, let path), .member(let other, let start)) where base == other:
      return path.hasPrefix(start + ".")
    case (.member(let part, _), _), (.negate(let part), _), (.cast(let part, _), _),
      (.convert(let part, _), _), (.element(let part, _), _):
      return part.isNullWhereNull(value)
    case (.arithmetic(_, let left, let right), _):
      return left.isNullWhereNull(value) || right.isNullWhereNull(value)
    case (.function(_, let parts), _): return parts.contains { $0.isNullWhereNull(value) }
    default: return false
    }
  }
}

extension String {
  /// The path without its last step; `nil` if that is the only one.
  fileprivate var parentPath: String? {
    lastIndex(of: ".").map { String(self[..<$0]) }
  }
}
