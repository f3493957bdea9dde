internal import DepotProtocol

extension QueryCompiler {
  /// Makes the types of two operands comparable, by converting constants.
  ///
  /// Numbers may keep different types: SQLite compares integers with doubles exactly, and decimals
  /// have a function.
  func unify(_ left: inout Operand, _ right: inout Operand) throws(DepotError) {
    guard let leftType = left.type, let rightType = right.type else { return }
    try checkObjects(left, right)
    guard leftType != rightType else {
      guard leftType != .json else {
        throw invalid("JSON can be compared only with a value of another type.")
      }
      return
    }
    if leftType == .json || rightType == .json {
      // Integers are read as doubles, so that they can also be compared with fractions.
      let other = leftType == .json ? rightType : leftType
      let type = other == .int64 ? AttributeType.double : other
      if leftType == .json { left = scalar(left, as: type) }
      if rightType == .json { right = scalar(right, as: type) }
      return try unify(&left, &right)
    }
    if let constant = right.constant, let value = constant.converted(to: leftType) {
      right = Operand(constant: value, source: right.source)
    } else if let constant = left.constant, let value = constant.converted(to: rightType) {
      left = Operand(constant: value, source: left.source)
    }
    let isComparable =
      left.type == right.type || left.isNumber && right.isNumber && !left.isUnordered(with: right)
      || left.isText && right.isText
    guard isComparable else {
      let (constant, other) = left.isConstant ? (left, right) : (right, left)
      throw invalid(
        constant.isConstant
          ? "\(constant.source.spelling) can't be read as \(other.typeName), the type of "
            + "\(other.source.spelling)."
          : "\(left.typeName) and \(right.typeName) can't be compared."
      ).hint(Self.hint(constant, of: other))
    }
  }

  /// Returns the way to write a constant that a text was meant to be, if that is known.
  private static func hint(_ constant: Operand, of other: Operand) -> String? {
    guard case .string(let text)? = constant.constant else { return nil }
    if other.isNumber, DecimalText.isGrammatical(text) {
      return "Write \(text) without quotation marks."
    }
    guard NonFinite.double(text) != nil,
      let type = other.type, [.double, .date].contains(type)
    else { return nil }
    let rest =
      text == "NaN" ? ". It equals nothing; as in x != x, only NaN differs from itself." : "."
    return "Write CAST(\"\(text)\", \"\(type.rawValue)\")\(rest)"
  }

  /// Checks that an object is compared only with an identifier or an object of the same table.
  private func checkObjects(_ left: Operand, _ right: Operand) throws(DepotError) {
    guard let root = left.root ?? right.root else { return }
    let isSame = left.root == right.root
    let isIdentifier = left.type == right.type && (left.root == nil || right.root == nil)
    guard isSame || isIdentifier else {
      throw invalid("\(left.typeName) and \(right.typeName) can't be compared.")
        .hint("An object of \(root) can be compared with an identifier, another one, or null.")
    }
  }
}

extension Operand {
  /// Whether one is a decimal and the other a constant without a decimal value, as infinity is.
  fileprivate func isUnordered(with other: Operand) -> Bool {
    type == .decimal && other.constant?.type == .double
      || other.type == .decimal && constant?.type == .double
  }
}
