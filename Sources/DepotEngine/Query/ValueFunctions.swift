internal import DepotProtocol
internal import DepotSQLite

/// The SQL functions on values of the attributes' types.
///
/// SQLite doesn't know the type of a value, so the types are arguments, as
/// ``AttributeType/functionCode``.
enum ValueFunctions {
  static func register(on connection: Connection) throws(SQLiteError) {
    for function in QueryExpression.Function.allCases where function != .rank {
      let count = function.arity
      let isRandom = function == .random || function == .randomn
      try connection.addFunction(
        function.sqlName,
        argumentCount: 2 * count,
        isDeterministic: !isRandom
      ) { call in
        let arguments = (0..<count).map { call.value(2 * $0) }
        call.result(StoredValue.encode(function.value(arguments)))
      }
    }
    try connection.addFunction("depot_cast", argumentCount: 3) { call in
      guard let type = AttributeType(functionCode: call[2].integer),
        let value = call.value(0).cast(to: type)
      else { return }
      call.result(StoredValue.encode(value))
    }
    try connection.addFunction("depot_narrow", argumentCount: 3) { call in
      guard let width = NumberWidth(functionCode: call[2].integer),
        let value = call.value(0).cast(to: width)
      else { return }
      call.result(StoredValue.encode(value))
    }
    try connection.addFunction("depot_scalar", argumentCount: 2) { call in
      guard call[0].kind == .text, let type = AttributeType(functionCode: call[1].integer) else {
        return
      }
      let value = Value.json(String(decoding: call[0].bytes, as: UTF8.self)).read(as: type)
      call.result(StoredValue.encode(value))
    }
    try connection.addFunction("depot_same", argumentCount: 3) { call in
      guard call[0].kind != .null, call[1].kind != .null,
        let type = AttributeType(functionCode: call[2].integer)
      else { return }
      let (left, right) = (ListValue.decode(call[0], type), ListValue.decode(call[1], type))
      call.result(
        left.count == right.count && zip(left, right).allSatisfy { $0.order($1) == 0 }
      )
    }
    try connection.addTableFunction("depot_each", argumentCount: 2) { call in
      guard let type = AttributeType(functionCode: call[1].integer) else { return [] }
      return ListValue.stored(call[0], type)
    }
    for aggregate in QueryExpression.Aggregate.allCases where aggregate.isOurs {
      for type in AttributeType.scalars {
        try connection.addAggregate(aggregate.sqlName(of: type), argumentCount: 1) {
          aggregate == .sum && type == .int64
            ? WholeSum() as any AggregateRun : AggregateOfValues(aggregate, type)
        }
      }
    }
  }
}

/// A run of an aggregate of values.
private final class AggregateOfValues: AggregateRun {
  private var aggregation: ValueAggregation
  private let type: AttributeType

  init(_ aggregate: QueryExpression.Aggregate, _ type: AttributeType) {
    aggregation = ValueAggregation(aggregate, of: type)
    self.type = type
  }

  func add(_ call: borrowing FunctionCall) {
    aggregation.add(call.value(0, as: type))
  }

  func finish(_ call: borrowing FunctionCall) {
    call.result(StoredValue.encode(aggregation.result))
  }
}

/// A run of the sum of integers, the most frequent aggregate.
private final class WholeSum: AggregateRun {
  private var sum = Int128(0)

  func add(_ call: borrowing FunctionCall) {
    if call[0].kind == .integer { sum += Int128(call[0].integer) }
  }

  func finish(_ call: borrowing FunctionCall) {
    if let sum = Int64(exactly: sum) { call.result(sum) }
  }
}

extension QueryExpression.Aggregate {
  /// Whether it needs our function because SQLite has none, or an inexact one.
  var isOurs: Bool {
    switch self {
    case .count, .countDistinct, .min, .max: false
    case .sum, .average, .median, .mode, .stddev: true
    }
  }

  /// The name of the aggregate in SQL for values of a type.
  func sqlName(of type: AttributeType) -> String { "depot_\(rawValue)_\(type.rawValue)" }
}

extension QueryExpression.Function {
  /// The name in SQL; each argument is followed by its type.
  var sqlName: String { "depot_f_\(rawValue)" }
}

/// A type with a number for each case, for arguments of SQL functions.
protocol FunctionCoded: CaseIterable, Equatable where AllCases == [Self] {}

extension AttributeType: FunctionCoded {}
extension NumberWidth: FunctionCoded {}
extension QueryExpression.Arithmetic: FunctionCoded {}

extension FunctionCoded {
  var functionCode: Int64 { Int64(Self.allCases.firstIndex(of: self) ?? 0) }

  init?(functionCode: Int64) {
    guard Self.allCases.indices ~= Int(functionCode) else { return nil }
    self = Self.allCases[Int(functionCode)]
  }
}

extension FunctionCall {
  /// The argument as a value of the type in the next argument.
  func value(_ index: Int) -> Value {
    AttributeType(functionCode: self[index + 1].integer).map { value(index, as: $0) } ?? .null
  }

  /// The argument as a value of a type; null if it has another form.
  func value(_ index: Int, as type: AttributeType) -> Value {
    StoredValue.decode(Cell(self[index]), as: type)
  }
}
