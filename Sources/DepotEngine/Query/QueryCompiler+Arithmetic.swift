internal import DepotProtocol

extension QueryCompiler {
  func arithmetic(
    _ arithmetic: QueryExpression.Arithmetic,
    _ left: Operand,
    _ right: Operand
  ) throws(DepotError) -> Operand {
    var left = left.type == .json ? scalar(left, as: .double) : left
    var right = right.type == .json ? scalar(right, as: .double) : right
    for operand in [left, right] where !operand.isNull && !operand.isNumber {
      throw invalid("\(operand.source.spelling) is of type \(operand.typeName), not a number.")
    }
    guard !left.isNull, !right.isNull, let type = AttributeType.common([left.type, right.type])
    else { return makeConstant(.null) }
    if type == .decimal {
      left = try decimal(left)
      right = try decimal(right)
    }
    // SQLite converts overflowing integers to doubles and has no NaN, so arithmetic uses our
    // functions.
    let arguments = left.fragment + ", " + right.fragment
    return makeOperand(
      type,
      "depot_\(type.rawValue)(\(arithmetic.functionCode), " + arguments + ")",
      isNullable: true
    )
  }

  private func decimal(_ operand: Operand) throws(DepotError) -> Operand {
    guard operand.type != .decimal, let constant = operand.constant else { return operand }
    guard let value = constant.converted(to: .decimal) else {
      throw invalid("\(operand.source.spelling) can't be read as decimal.")
    }
    return Operand(constant: value, source: operand.source)
  }
}
