internal import DepotProtocol
internal import DepotSQLite
internal import FoundationEssentials

/// The SQL functions for arithmetic and decimals; they return NULL if there is no result.
enum NumberFunctions {
  static func register(on connection: Connection) throws(SQLiteError) {
    for type in [AttributeType.int64, .double, .decimal] {
      try connection.addFunction("depot_\(type.rawValue)", argumentCount: 3) { call in
        guard let operation = QueryExpression.Arithmetic(functionCode: call[0].integer),
          let left = call[1].widened(to: type), let right = call[2].widened(to: type),
          let result = ValueArithmetic.combine(operation, left, right)
        else { return }
        call.result(StoredValue.encode(result))
      }
    }
    // The triggers of range indexes call it, because SQLite can't read decimals.
    try connection.addFunction("depot_number", argumentCount: 1, isForTriggers: true) { call in
      guard let number = call[0].number.flatMap(ValueArithmetic.double), !number.isNaN else {
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
    if call[0].kind == .null && call[1].kind == .null { return 2 }
    if call[0].kind == .null || call[1].kind == .null { return 3 }
    guard let left = call[0].number, let right = call[1].number, let order = left.order(right)
    else {
      return 3
    }
    return Int64(order)
  }
}

extension BorrowedValue {
  /// A number of any type; `nil` if the argument is null.
  fileprivate var number: Value? {
    switch kind {
    case .integer: .int64(integer)
    case .real: .double(real)
    case .blob where bytes.isEmpty: .double(.nan)
    case .blob: DecimalKey.decode(bytes).map(Value.decimal)
    default: nil
    }
  }

  /// A number converted to an equal or wider type.
  fileprivate func widened(to type: AttributeType) -> Value? {
    switch (number, type) {
    case (.int64(let number), .double): .double(Double(number))
    case (.int64(let number), .decimal): .decimal(Decimal(number))
    case (let number, _): number
    }
  }
}
