/// A set of Unicode scalars in a regular expression.
indirect enum ScalarSet: Hashable, Sendable {
  case range(Unicode.Scalar, Unicode.Scalar)
  case property(ScalarProperty)
  case union([ScalarSet])
  case intersection(ScalarSet, ScalarSet)
  case complement(ScalarSet)
  /// The scalars with any case variant in the set.
  case anyCase(ScalarSet)

  static let any = ScalarSet.complement(.union([]))

  static func one(_ scalar: Unicode.Scalar) -> ScalarSet { .range(scalar, scalar) }

  /// Returns the set of a scalar, or of all its case variants.
  static func literal(_ scalar: Unicode.Scalar, ignoresCase: Bool) -> ScalarSet {
    guard ignoresCase else { return one(scalar) }
    let cases = scalar.cases
    // A scalar without case variants may still be a variant of another one.
    return .anyCase(cases.count == 1 ? one(scalar) : .union(cases.map(one)))
  }

  /// Tests whether a scalar is in the set.
  ///
  /// - Parameters:
  ///   - scalar: The scalar.
  ///   - cases: The scalar and its case variants, which matter if ``hasCases``.
  /// - Returns: Whether the set contains it.
  func contains(_ scalar: Unicode.Scalar, cases: [Unicode.Scalar]) -> Bool {
    switch self {
    case .range(let first, let last): first <= scalar && scalar <= last
    case .property(let property): property.holds(scalar)
    case .union(let sets): sets.contains { $0.contains(scalar, cases: cases) }
    case .intersection(let left, let right):
      left.contains(scalar, cases: cases) && right.contains(scalar, cases: cases)
    case .complement(let set): !set.contains(scalar, cases: cases)
    case .anyCase(let set): cases.contains { set.contains($0, cases: []) }
    }
  }

  /// Whether case variants matter.
  var hasCases: Bool {
    switch self {
    case .range, .property: false
    case .union(let sets): sets.contains(where: \.hasCases)
    case .intersection(let left, let right): left.hasCases || right.hasCases
    case .complement(let set): set.hasCases
    case .anyCase: true
    }
  }
}

extension Unicode.Scalar {
  /// The scalar and its lowercase, uppercase, and titlecase forms; `ı` isn't `i`.
  var cases: [Unicode.Scalar] {
    if isASCII {
      let isLetter = (value | 0x20) &- 0x61 < 26
      return isLetter ? [self, Unicode.Scalar(UInt8(value ^ 0x20))] : [self]
    }
    var result = [self]
    guard self != "\u{131}" else { return result }
    func add(_ text: String) -> Unicode.Scalar? {
      let scalars = text.unicodeScalars
      guard let first = scalars.first, scalars.count == 1 else { return nil }
      if !result.contains(first) { result.append(first) }
      return first
    }
    _ = add(properties.lowercaseMapping)
    _ = add(properties.titlecaseMapping)
    if let upper = add(properties.uppercaseMapping) { _ = add(upper.properties.lowercaseMapping) }
    return result
  }
}
