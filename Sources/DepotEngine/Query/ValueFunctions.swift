internal import DepotProtocol
internal import DepotSQLite
internal import FoundationEssentials

/// The SQL functions that work on values as the attributes have them.
///
/// SQLite doesn't know which type a value has, so the types are arguments, by their ``AttributeType/functionCode``.
enum ValueFunctions {
  static func register(on connection: Connection) throws(SQLiteError) {
    for function in QueryExpression.Function.allCases where function != .rank {
      let count = function.argumentCount
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
      guard let type = AttributeType(functionCode: call.integer(2)),
        let value = call.value(0).cast(to: type)
      else { return }
      call.result(StoredValue.encode(value))
    }
    try connection.addFunction("depot_narrow", argumentCount: 3) { call in
      guard let width = NumberWidth(functionCode: call.integer(2)),
        let value = call.value(0).cast(to: width)
      else { return }
      call.result(StoredValue.encode(value))
    }
    try connection.addFunction("depot_scalar", argumentCount: 2) { call in
      guard call.kind(0) == .text, let type = AttributeType(functionCode: call.integer(1)),
        let value = JSONMember.scalar(String(decoding: call.bytes(0), as: UTF8.self), as: type)
      else { return }
      call.result(StoredValue.encode(value))
    }
    try connection.addFunction("depot_same", argumentCount: 3) { call in
      guard call.kind(0) != .null, call.kind(1) != .null,
        let type = AttributeType(functionCode: call.integer(2))
      else { return }
      let (left, right) = (ListValue.decode(call, 0, type), ListValue.decode(call, 1, type))
      call.result(
        left.count == right.count && zip(left, right).allSatisfy { $0.order($1) == 0 }
      )
    }
    try connection.addTableFunction("depot_each", argumentCount: 2) { call in
      guard let type = AttributeType(functionCode: call.integer(1)) else { return [] }
      return ListValue.stored(call, 0, type)
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

/// One run of an aggregate of values.
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

/// One run of the sum of whole numbers, the most frequent aggregate.
private final class WholeSum: AggregateRun {
  private var sum = Int128(0)

  func add(_ call: borrowing FunctionCall) {
    if call.kind(0) == .integer { sum += Int128(call.integer(0)) }
  }

  func finish(_ call: borrowing FunctionCall) {
    if let sum = Int64(exactly: sum) { call.result(sum) }
  }
}

extension QueryExpression.Aggregate {
  /// Whether SQLite has no such aggregate, or one that isn't exact.
  var isOurs: Bool {
    switch self {
    case .count, .countDistinct, .min, .max: false
    case .sum, .average, .median, .mode, .stddev: true
    }
  }

  /// The name of the aggregate of values of a type in SQL.
  func sqlName(of type: AttributeType) -> String { "depot_\(rawValue)_\(type.rawValue)" }
}

extension QueryExpression.Function {
  /// The name in SQL; each argument is followed by its type.
  var sqlName: String { "depot_f_\(rawValue)" }
}

extension AttributeType {
  /// The number by which the SQL functions know the type.
  var functionCode: Int64 { Int64(Self.allCases.firstIndex(of: self) ?? 0) }

  init?(functionCode: Int64) {
    guard Self.allCases.indices ~= Int(functionCode) else { return nil }
    self = Self.allCases[Int(functionCode)]
  }
}

extension NumberWidth {
  /// The number by which the SQL functions know the width.
  var functionCode: Int64 { Int64(Self.allCases.firstIndex(of: self) ?? 0) }

  init?(functionCode: Int64) {
    guard Self.allCases.indices ~= Int(functionCode) else { return nil }
    self = Self.allCases[Int(functionCode)]
  }
}

extension FunctionCall {
  /// The argument as a value of the type that the next argument tells.
  func value(_ index: Int) -> Value {
    AttributeType(functionCode: integer(index + 1)).map { value(index, as: $0) } ?? .null
  }

  /// The argument as a value of a type, null if it isn't stored as such.
  func value(_ index: Int, as type: AttributeType) -> Value {
    switch kind(index) {
    case .null: .null
    case .integer: type == .bool ? .bool(integer(index) != 0) : .int64(integer(index))
    case .real: StoredValue.number(real(index), as: type)
    case .text: StoredValue.text(bytes(index), as: type)
    case .blob: StoredValue.blob(bytes(index), as: type)
    }
  }
}

extension StoredValue {
  static func number(_ value: Double, as type: AttributeType) -> Value {
    type == .date ? .date(Date(timeIntervalSinceReferenceDate: value)) : .double(value)
  }

  static func text(_ bytes: UnsafeBufferPointer<UInt8>, as type: AttributeType) -> Value {
    let text = String(decoding: bytes, as: UTF8.self)
    switch type {
    case .url: return URL(string: text).map(Value.url) ?? .string(text)
    case .json: return .json(text)
    default: return .string(text)
    }
  }

  static func blob(_ bytes: UnsafeBufferPointer<UInt8>, as type: AttributeType) -> Value {
    switch type {
    case .double, .date: number(.nan, as: type)
    case .decimal: DecimalKey.decode(bytes).map(Value.decimal) ?? .null
    case .uuid:
      bytes.count == 16
        ? .uuid(UnsafeRawBufferPointer(bytes).loadUnaligned(as: UUID.self)) : .null
    default: .data(Data(bytes))
    }
  }
}
