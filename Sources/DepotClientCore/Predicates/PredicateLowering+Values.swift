package import DepotProtocol
package import FoundationEssentials

extension PredicateExpressions.Variable: LowerableExpression {
  package func lower(in lowering: inout PredicateLowering) throws(DepotError) -> QueryExpression {
    guard let expression = lowering.bindings[key] else {
      throw lowering.refusal("a variable of another predicate")
    }
    return expression
  }
}

extension PredicateExpressions.KeyPath: LowerableExpression {
  package func lower(in lowering: inout PredicateLowering) throws(DepotError) -> QueryExpression {
    if let kind, Root.Output.self is any Collection.Type {
      return try lowering.collection(root, kind: "\(kind)")
    }
    let base = try lowering.value(root)
    guard let name = try lowering.name(of: keyPath, from: Root.Output.self) else { return base }
    return base.member(name)
  }
}

extension PredicateExpressions.ForcedUnwrap: LowerableExpression {
  package func lower(in lowering: inout PredicateLowering) throws(DepotError) -> QueryExpression {
    try lowering.value(inner)
  }
}

extension PredicateLowering {
  /// Returns the name of a property of `root`; `nil` if it is the same thing.
  fileprivate func name(
    of keyPath: AnyKeyPath,
    from root: Any.Type
  ) throws(DepotError) -> String? {
    if let step = try names.step(keyPath, from: root) {
      if case .name(let name) = step { return name }
      return nil
    }
    if let type = root as? any RawRepresentable.Type {
      if Self.isRawValue(keyPath, of: type) { return nil }
      throw refusal(
        "a property of a value (\(keyPath.shortDescription))",
        hint: "Compare \(root) with a captured case; rawValue is known if \(root) is CaseIterable."
      )
    }
    throw refusal("a property of a value (\(keyPath.shortDescription))")
  }

  private static func isRawValue<Content: RawRepresentable>(
    _ keyPath: AnyKeyPath,
    of type: Content.Type
  ) -> Bool {
    Content.isRawValue(keyPath, of: samples(of: type))
  }

  private static func samples<Content: RawRepresentable>(of type: Content.Type) -> [Content] {
    if let cases = type as? any CaseIterable.Type {
      return cases.list.compactMap { $0 as? Content }
    }
    let integers = (0..<64).compactMap { number in
      (Content.RawValue.self as? any FixedWidthInteger.Type)?.value(number) as? Content.RawValue
    }
    let texts = ["", "a", "b"].compactMap { $0 as? Content.RawValue }
    return (integers + texts).compactMap(Content.init(rawValue:))
  }
}

extension CaseIterable {
  fileprivate static var list: [Any] { allCases.map { $0 } }
}

extension FixedWidthInteger {
  fileprivate static func value(_ number: Int) -> Any { Self(number) }
}

extension RawRepresentable {
  /// Whether `keyPath` leads to the raw value, which only values of the type can show.
  package static func isRawValue(_ keyPath: AnyKeyPath, of samples: [Self]) -> Bool {
    guard let keyPath = keyPath as? KeyPath<Self, RawValue>, !samples.isEmpty else { return false }
    return samples.allSatisfy {
      ($0[keyPath: keyPath] as? any Equatable)?.isEqual($0.rawValue) ?? false
    }
  }
}

extension Equatable {
  fileprivate func isEqual(_ other: Any) -> Bool { (other as? Self) == self }
}
