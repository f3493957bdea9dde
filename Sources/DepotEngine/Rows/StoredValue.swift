package import DepotProtocol
package import DepotSQLite
internal import FoundationEssentials

/// The form in which SQLite holds a value.
///
/// A string or URL is a text, an int64 or bool an integer, a double or date a real number, a UUID 16
/// bytes, a decimal its ``DecimalKey``. SQLite would make NaN a null, so it is an empty blob.
package enum StoredValue {
  /// What SQLite gets for `value`.
  package static func encode(_ value: Value) -> SQLiteValue {
    switch value {
    case .null: .null
    case .bool(let value): .integer(value ? 1 : 0)
    case .int64(let value): .integer(value)
    case .double(let value): real(value)
    case .string(let value): .text(value)
    case .date(let value): real(value.timeIntervalSinceReferenceDate)
    case .uuid(let value): .blob(withUnsafeBytes(of: value.uuid, Array.init))
    case .data(let value): .blob(Array(value))
    case .decimal(let value): .blob(DecimalKey.encode(value))
    case .url(let value): .text(value.absoluteString)
    case .json(let text): .text(text)
    case .list: .text(json(value))
    }
  }

  private static func json(_ value: Value) -> String {
    var writer = JSONWriter()
    writer.write(value)
    return String(decoding: writer.bytes, as: UTF8.self)
  }

  private static func real(_ value: Double) -> SQLiteValue {
    value.isNaN ? .blob([]) : .real(value)
  }
}
