package import DepotClientCore
package import DepotProtocol

/// A list of values that are written down.
@Memberwise("elements")
public struct ValueList<Element>: UnencodedPart {
  /// The elements.
  public let elements: [any StandardPredicateExpression<Element>]

  public func evaluate(_ bindings: PredicateBindings) throws -> [Element] {
    try elements.map { try $0.evaluate(bindings) }
  }
}

extension ValueList: LowerableExpression {
  package func lower(in lowering: inout PredicateLowering) throws(DepotError) -> QueryExpression {
    var parts: [QueryExpression] = []
    for element in elements { parts.append(try lowering.operand(element)) }
    return .collection(of: parts)
  }
}

/// A part of each element of a sequence.
public struct SequenceMap<
  Base: StandardPredicateExpression,
  Transform: StandardPredicateExpression
>: StandardPredicateExpression where Base.Output: Sequence {
  /// The sequence of the elements.
  public let sequence: Base
  /// The part of each element.
  public let transform: Transform
  /// The placeholder of the element in ``transform``.
  public let variable: PredicateExpressions.Variable<Base.Output.Element>

  /// Creates the part of a sequence and the transformation of its elements.
  public init(
    _ sequence: Base,
    _ builder: (PredicateExpressions.Variable<Base.Output.Element>) -> Transform
  ) {
    self.sequence = sequence
    variable = PredicateExpressions.Variable()
    transform = builder(variable)
  }

  public func evaluate(_ bindings: PredicateBindings) throws -> [Transform.Output] {
    var bindings = bindings
    return try sequence.evaluate(bindings).map { element in
      bindings[variable] = element
      return try transform.evaluate(bindings)
    }
  }
}

extension SequenceMap: LowerableExpression {
  package func lower(in lowering: inout PredicateLowering) throws(DepotError) -> QueryExpression {
    let collection = try lowering.value(sequence)
    lowering.bindings[variable.key] = .variable("$element")
    let element = try lowering.value(transform)
    switch element {
    case .variable("$element"): return collection
    case .member(.variable("$element"), let path): return collection.member(path)
    default:
      throw lowering.refusal("map(_:) with anything but a property", hint: "Map to a key path.")
    }
  }
}
