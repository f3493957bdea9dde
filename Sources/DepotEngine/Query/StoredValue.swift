internal import DepotProtocol
internal import DepotSQLite
internal import FoundationEssentials

extension Value {
  /// The value as a column of its type stores it.
  var stored: SQLiteValue {
    switch self {
    case .null: .null
    case .bool(let value): .integer(value ? 1 : 0)
    case .int64(let value): .integer(value)
    case .double(let value): Self.stored(value)
    case .string(let value): .text(value)
    case .date(let value): Self.stored(value.timeIntervalSinceReferenceDate)
    case .uuid(let value): .blob(withUnsafeBytes(of: value.uuid) { Array($0) })
    case .data(let value): .blob(Array(value))
    case .decimal(let value): .blob(DecimalKey.encode(value))
    case .url(let value): .text(value.absoluteString)
    }
  }

  /// Whether the value is a double or date that is no number.
  var isNaN: Bool {
    switch self {
    case .double(let value): value.isNaN
    case .date(let value): value.timeIntervalSinceReferenceDate.isNaN
    default: false
    }
  }

  /// SQLite would store NaN as NULL, so it is an empty blob.
  private static func stored(_ value: Double) -> SQLiteValue {
    value.isNaN ? .blob([]) : .real(value)
  }
}
