internal import DepotProtocol
internal import DepotSQLite
internal import FoundationEssentials
internal import Glibc

/// The SQL functions for arithmetic and for decimals, with NULL for what has no result.
enum NumberFunctions {
  static func register(on connection: Connection) throws(SQLiteError) {
    try arithmetic("int64", on: connection) { call, operation in
      guard let result = combine(operation, call.integer(1), call.integer(2)) else { return }
      call.result(result)
    }
    try arithmetic("double", on: connection) { call, operation in
      let result = combine(operation, call.double(1), call.double(2))
      guard let result else { return }
      // SQLite has no NaN; see ``StoredValue``.
      if result.isNaN {
        call.result(blob: UnsafeBufferPointer(start: nil, count: 0))
      } else {
        call.result(result)
      }
    }
    try arithmetic("decimal", on: connection) { call, operation in
      guard let left = call.decimal(1), let right = call.decimal(2),
        let result = combine(operation, left, right)
      else { return }
      DecimalKey.encode(result).withUnsafeBufferPointer { call.result(blob: $0) }
    }
    try connection.addFunction("depot_order", argumentCount: 2) { call in
      call.result(order(call))
    }
  }

  private static func arithmetic(
    _ type: String,
    on connection: Connection,
    _ body: @escaping (borrowing FunctionCall, QueryExpression.Arithmetic) -> Void
  ) throws(SQLiteError) {
    try connection.addFunction("depot_\(type)", argumentCount: 3) { call in
      guard call.kind(1) != .null, call.kind(2) != .null,
        let operation = QueryExpression.Arithmetic(functionCode: call.integer(0))
      else { return }
      body(call, operation)
    }
  }

  static func combine(
    _ operation: QueryExpression.Arithmetic,
    _ left: Int64,
    _ right: Int64
  ) -> Int64? {
    let (result, isOverflow) =
      switch operation {
      case .add: left.addingReportingOverflow(right)
      case .subtract: left.subtractingReportingOverflow(right)
      case .multiply: left.multipliedReportingOverflow(by: right)
      case .divide: left.dividedReportingOverflow(by: right)
      case .modulo: left.remainderReportingOverflow(dividingBy: right)
      case .power: power(left, right)
      }
    return isOverflow ? nil : result
  }

  static func combine(
    _ operation: QueryExpression.Arithmetic,
    _ left: Double,
    _ right: Double
  ) -> Double? {
    switch operation {
    case .add: left + right
    case .subtract: left - right
    case .multiply: left * right
    case .divide: right == 0 ? nil : left / right
    case .modulo: right == 0 ? nil : left.truncatingRemainder(dividingBy: right)
    case .power: .some(pow(left, right))
    }
  }

  static func combine(
    _ operation: QueryExpression.Arithmetic,
    _ left: Decimal,
    _ right: Decimal
  ) -> Decimal? {
    let result: Decimal
    switch operation {
    case .add: result = left + right
    case .subtract: result = left - right
    case .multiply: result = left * right
    case .divide:
      guard right != 0 else { return nil }
      result = left / right
    case .modulo:
      guard right != 0 else { return nil }
      // The description is plain digits, so this cuts the fraction off.
      let quotient = (left / right).description.prefix { $0 != "." }
      guard let whole = Decimal(string: String(quotient)) else { return nil }
      result = left - whole * right
    case .power:
      guard right >= 0, let exponent = Int(right.description) else { return nil }
      result = pow(left, exponent)
    }
    return result.isNaN ? nil : result
  }

  /// The power of whole numbers, which overflows for a negative exponent too.
  private static func power(_ base: Int64, _ exponent: Int64) -> (Int64, Bool) {
    guard exponent >= 0 else { return (0, true) }
    var (result, square, rest) = (Int64(1), base, exponent)
    while rest > 0 {
      if rest & 1 == 1 {
        let (product, isOverflow) = result.multipliedReportingOverflow(by: square)
        if isOverflow { return (0, true) }
        result = product
      }
      rest >>= 1
      if rest > 0 {
        let (product, isOverflow) = square.multipliedReportingOverflow(by: square)
        if isOverflow { return (0, true) }
        square = product
      }
    }
    return (result, false)
  }

  /// Compares a decimal with another number; see ``QueryCompiler``.
  private static func order(_ call: borrowing FunctionCall) -> Int64 {
    if call.kind(0) == .null && call.kind(1) == .null { return 2 }
    if call.kind(0) == .null || call.kind(1) == .null { return 3 }
    if let infinite = call.infinity(0) { return infinite }
    if let infinite = call.infinity(1) { return -infinite }
    guard let left = call.decimal(0), let right = call.decimal(1) else { return 3 }
    return left < right ? -1 : left > right ? 1 : 0
  }
}

extension FunctionCall {
  /// An argument that is an integer or a double.
  fileprivate func double(_ index: Int) -> Double {
    switch kind(index) {
    case .integer: Double(integer(index))
    case .real: real(index)
    default: .nan
    }
  }

  /// An argument that is any number, or `nil` if it is NaN.
  fileprivate func decimal(_ index: Int) -> Decimal? {
    switch kind(index) {
    case .integer: return Decimal(integer(index))
    case .real: return DecimalText.parse(real(index).description)
    case .blob: return bytes(index).isEmpty ? nil : DecimalKey.decode(bytes(index))
    default: return nil
    }
  }

  /// 1 or -1 for a double beyond all decimals.
  fileprivate func infinity(_ index: Int) -> Int64? {
    guard kind(index) == .real, real(index).magnitude > 1e165 else { return nil }
    return real(index) > 0 ? 1 : -1
  }
}
