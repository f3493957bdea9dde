internal import DepotProtocol
internal import DepotSQLite
internal import FoundationEssentials

/// The SQL functions for arithmetic and for decimals, with NULL for what has no result.
enum NumberFunctions {
  static func register(on connection: Connection) throws(SQLiteError) {
    for type in [AttributeType.int64, .double, .decimal] {
      try connection.addFunction("depot_\(type.rawValue)", argumentCount: 3) { call in
        guard let operation = QueryExpression.Arithmetic(functionCode: call.integer(0)),
          let left = call.number(1, as: type), let right = call.number(2, as: type),
          let result = ValueArithmetic.combine(operation, left, right)
        else { return }
        call.result(StoredValue.encode(result))
      }
    }
    // The r-trees are kept by triggers, which can't read decimals otherwise.
    try connection.addFunction("depot_number", argumentCount: 1, isForTriggers: true) { call in
      guard let number = call.number(0).flatMap(ValueArithmetic.double), !number.isNaN else {
        return
      }
      call.result(number)
    }
    try connection.addFunction("depot_order", argumentCount: 2) { call in
      call.result(order(call))
    }
  }

  /// Compares a decimal with another number; see ``QueryCompiler``.
  private static func order(_ call: borrowing FunctionCall) -> Int64 {
    if call.kind(0) == .null && call.kind(1) == .null { return 2 }
    if call.kind(0) == .null || call.kind(1) == .null { return 3 }
    guard let left = call.number(0), let right = call.number(1), let order = left.order(right)
    else {
      return 3
    }
    return Int64(order)
  }
}

extension FunctionCall {
  /// An argument that is any number; `nil` if it is null.
  fileprivate func number(_ index: Int) -> Value? {
    switch kind(index) {
    case .integer: .int64(integer(index))
    case .real: .double(real(index))
    case .blob where bytes(index).isEmpty: .double(.nan)
    case .blob: DecimalKey.decode(bytes(index)).map(Value.decimal)
    default: nil
    }
  }

  /// An argument that is a number of a type or of a narrower one.
  fileprivate func number(_ index: Int, as type: AttributeType) -> Value? {
    guard let value = number(index) else { return nil }
    switch (value, type) {
    case (.int64(let number), .double): return .double(Double(number))
    case (.int64(let number), .decimal): return .decimal(Decimal(number))
    default: return value
    }
  }
}
