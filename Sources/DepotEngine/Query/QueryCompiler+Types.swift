internal import DepotProtocol
internal import FoundationEssentials

extension QueryCompiler {
  /// Brings two operands to types that can be compared, converting constants.
  ///
  /// Numbers of different types may remain; SQLite compares whole numbers with doubles exactly, and
  /// decimals have a function.
  ///
  /// - Throws: ``DepotError`` `request.predicate` if they can't be compared.
  func unify(
    _ left: inout Operand,
    _ right: inout Operand,
    in expression: QueryExpression
  ) throws(DepotError) {
    guard let leftType = left.type, let rightType = right.type else { return }
    try checkObjects(left, right, in: expression)
    guard leftType != rightType else { return }
    if let constant = right.constant, let value = constant.converted(to: leftType) {
      right = Operand(constant: value, source: right.source)
    } else if let constant = left.constant, let value = constant.converted(to: rightType) {
      left = Operand(constant: value, source: left.source)
    }
    let isComparable =
      left.type == right.type || left.isNumber && right.isNumber && !left.isUnordered(with: right)
      || left.isText && right.isText && !left.isConstant && !right.isConstant
    guard isComparable else {
      let (constant, other) = left.isConstant ? (left, right) : (right, left)
      throw invalid(
        expression,
        constant.isConstant
          ? "\(constant.source.spelling) can't be read as \(other.typeName), the type of "
            + "\(other.source.spelling)."
          : "\(left.typeName) and \(right.typeName) can't be compared."
      )
    }
  }

  /// Checks that an object is held against an identifier or an object of the same table only.
  private func checkObjects(
    _ left: Operand,
    _ right: Operand,
    in expression: QueryExpression
  ) throws(DepotError) {
    guard let root = left.root ?? right.root else { return }
    let isSame = left.root == right.root
    let isIdentifier = left.type == right.type && (left.root == nil || right.root == nil)
    guard isSame || isIdentifier else {
      throw invalid(expression, "\(left.typeName) and \(right.typeName) can't be compared.")
        .hint("An object of \(root) can be compared with an identifier, another one, or null.")
    }
  }
}

extension Operand {
  /// Whether one is a decimal and the other a constant that is no decimal, such as infinity.
  fileprivate func isUnordered(with other: Operand) -> Bool {
    type == .decimal && other.constant?.type == .double
      || other.type == .decimal && constant?.type == .double
  }
}

extension Value {
  /// Returns the value as another type if nothing is lost.
  func converted(to type: AttributeType) -> Value? {
    switch (self, type) {
    case (.string(let text), .date):
      DateText.parse(text.utf8).map { .date(Date(timeIntervalSinceReferenceDate: $0)) }
    case (.string(let text), .uuid): UUID(uuidString: text).map(Value.uuid)
    case (.string(let text), .url): URL(string: text).map(Value.url)
    case (.string(let text), .decimal): DecimalText.parse(text).map(Value.decimal)
    case (.string(let text), .data): Base64.decode(text).map(Value.data)
    case (.url(let url), .string): .string(url.absoluteString)
    case (.int64(let number), .double): Double(exactly: number).map(Value.double)
    case (.int64(let number), .decimal): .decimal(Decimal(number))
    case (.double(let number), .int64): Int64(exactly: number).map(Value.int64)
    // The shortest text that means the double is what the client wrote.
    case (.double(let number), .decimal): DecimalText.parse(number.description).map(Value.decimal)
    case (.decimal(let number), .int64): Int64(number.description).map(Value.int64)
    default: self.type == type ? self : nil
    }
  }
}
