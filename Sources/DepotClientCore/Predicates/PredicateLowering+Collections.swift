package import DepotProtocol
package import FoundationEssentials

extension PredicateLowering {
  /// Translates a property that every collection has.
  mutating func collection(
    _ root: any PredicateExpression,
    kind: String
  ) throws(DepotError) -> QueryExpression {
    let value = try contents(of: root)
    let type = root.outputType
    let isText = type is any StringProtocol.Type || type == Data.self
    if type is any KeyedContent.Type { throw refusal("\(kind) of a dictionary") }
    switch kind {
    case "collectionIsEmpty" where isText && type != Data.self:
      return .comparison(.equal, value, .value(.string("")))
    case "collectionIsEmpty":
      return .comparison(.equal, Self.count(value, isText: isText), .value(.int64(0)))
    case "collectionCount": return Self.count(value, isText: isText)
    case "collectionFirst" where !isText: return .element(value, 0)
    case "bidirectionalCollectionLast" where !isText: return .element(value, -1)
    default: throw refusal("\(kind) of \(type)")
    }
  }

  private static func count(_ value: QueryExpression, isText: Bool) -> QueryExpression {
    isText ? .function(.length, [value]) : .aggregate(.count, value)
  }

  /// Translates a collection whose elements are used.
  fileprivate mutating func elements(
    of node: any PredicateExpression,
    _ name: String
  ) throws(DepotError) -> QueryExpression {
    let type = node.outputType
    if type is any StringProtocol.Type || type == Data.self || type is any KeyedContent.Type {
      throw refusal("\(name) of a \(type)")
    }
    return try contents(of: node)
  }

  /// Translates a test of all elements of a sequence, which may be a constant.
  fileprivate mutating func quantified(
    _ quantifier: QueryExpression.Quantifier,
    _ sequence: any PredicateExpression,
    _ variable: PredicateExpressions.VariableID,
    _ test: any PredicateExpression,
    as name: String
  ) throws(DepotError) -> QueryExpression {
    if let constant = Constant(sequence) {
      let parts = try each(of: constant.value, variable, test)
      return quantifier == .any ? .or(parts) : .and(parts)
    }
    let collection = try elements(of: sequence, name)
    let (element, test) = try self.test(test, of: variable)
    return .quantified(quantifier, collection, element, test)
  }

  /// Translates the test of each element of a sequence that is a constant.
  private mutating func each(
    of sequence: Any,
    _ variable: PredicateExpressions.VariableID,
    _ test: any PredicateExpression
  ) throws(DepotError) -> [QueryExpression] {
    guard let sequence = sequence as? any Sequence else {
      throw refusal("a sequence of type \(type(of: sequence))")
    }
    var parts: [QueryExpression] = []
    for element in Array(erasing: sequence) {
      guard let value = constant(element) else {
        throw refusal("a list of \(type(of: element))")
      }
      bindings[variable] = .value(value)
      parts.append(try predicate(test))
    }
    return parts
  }
}

extension PredicateExpressions.SequenceContainsWhere: LowerableExpression {
  package func lower(in lowering: inout PredicateLowering) throws(DepotError) -> QueryExpression {
    try lowering.quantified(.any, sequence, variable.key, test, as: "contains(where:)")
  }
}

extension PredicateExpressions.SequenceAllSatisfy: LowerableExpression {
  package func lower(in lowering: inout PredicateLowering) throws(DepotError) -> QueryExpression {
    try lowering.quantified(.all, sequence, variable.key, test, as: "allSatisfy(_:)")
  }
}

extension PredicateExpressions.Filter: LowerableExpression {
  package func lower(in lowering: inout PredicateLowering) throws(DepotError) -> QueryExpression {
    let collection = try lowering.elements(of: sequence, "filter(_:)")
    let (name, test) = try lowering.test(filter, of: variable.key)
    return .filtered(collection, name, test)
  }
}

extension PredicateExpressions.SequenceMinimum: LowerableExpression {
  package func lower(in lowering: inout PredicateLowering) throws(DepotError) -> QueryExpression {
    .aggregate(.min, try lowering.elements(of: elements, "min()"))
  }
}

extension PredicateExpressions.SequenceMaximum: LowerableExpression {
  package func lower(in lowering: inout PredicateLowering) throws(DepotError) -> QueryExpression {
    .aggregate(.max, try lowering.elements(of: elements, "max()"))
  }
}

extension [Any] {
  fileprivate init(erasing sequence: any Sequence) {
    self.init()
    sequence.append(to: &self)
  }
}

extension Sequence {
  fileprivate func append(to list: inout [Any]) {
    for element in self { list.append(element) }
  }
}
