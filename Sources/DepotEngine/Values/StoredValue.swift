package import DepotProtocol
package import DepotSQLite
internal import FoundationEssentials

/// The conversion of values to and from SQLite.
///
/// A string or URL is a text, an int64 or bool an integer, a double or date a real number, a UUID
/// 16 bytes, a decimal its ``DecimalKey``. NaN is an empty blob, because SQLite would store it as
/// null.
package enum StoredValue {
  /// Returns the stored form of a value.
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
    case .list: .text(value.jsonText)
    }
  }

  /// Returns the value in a cell.
  ///
  /// A cell that isn't stored as `type` requires gives a value of the type that it is stored as.
  static func decode(_ cell: Cell, as type: AttributeType) -> Value {
    switch (cell, type) {
    case (.null, _): .null
    case (.integer(let value), .bool): .bool(value != 0)
    case (.integer(let value), _): .int64(value)
    case (.real(let value), .date): .date(Date(timeIntervalSinceReferenceDate: value))
    case (.real(let value), _): .double(value)
    case (.text(let bytes), _): text(String(decoding: bytes, as: UTF8.self), as: type)
    case (.blob(let bytes), .double) where bytes.isEmpty: .double(.nan)
    case (.blob(let bytes), .date) where bytes.isEmpty:
      .date(Date(timeIntervalSinceReferenceDate: .nan))
    case (.blob(let bytes), .decimal): DecimalKey.decode(bytes).map(Value.decimal) ?? .null
    case (.blob(let bytes), .uuid):
      bytes.count == 16
        ? .uuid(UnsafeRawBufferPointer(bytes).loadUnaligned(as: UUID.self)) : .null
    case (.blob(let bytes), _): .data(Data(bytes))
    }
  }

  private static func text(_ text: String, as type: AttributeType) -> Value {
    switch type {
    case .url: URL(string: text).map(Value.url) ?? .string(text)
    case .json: .json(text)
    default: .string(text)
    }
  }

  private static func real(_ value: Double) -> SQLiteValue {
    value.isNaN ? .blob([]) : .real(value)
  }
}
