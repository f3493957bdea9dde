internal import DepotProtocol
internal import DepotSQLite

/// The forms in which SQL functions get lists.
///
/// A collection attribute is stored as a JSON array. A constant list is bound as a blob of values as
/// they are stored, which is faster to read: for each one a byte for its kind, and then eight bytes of a
/// number or of a count and so many bytes; the least byte is first.
enum ListValue {
  private enum Kind {
    static let null: UInt8 = 0
    static let integer: UInt8 = 1
    static let real: UInt8 = 2
    static let text: UInt8 = 3
    static let blob: UInt8 = 4
  }

  /// Returns the bytes to bind for a constant list.
  static func pack(_ values: [SQLiteValue]) -> [UInt8] {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(values.count * 9)
    for value in values {
      switch value {
      case .null: bytes.append(Kind.null)
      case .integer(let value): append(Kind.integer, UInt64(bitPattern: value), to: &bytes)
      case .real(let value): append(Kind.real, value.bitPattern, to: &bytes)
      case .text(let text):
        append(Kind.text, UInt64(text.utf8.count), to: &bytes)
        bytes += text.utf8
      case .blob(let blob):
        append(Kind.blob, UInt64(blob.count), to: &bytes)
        bytes += blob
      }
    }
    return bytes
  }

  private static func append(_ kind: UInt8, _ word: UInt64, to bytes: inout [UInt8]) {
    bytes.append(kind)
    withUnsafeBytes(of: word.littleEndian) { bytes += $0 }
  }

  /// Returns the elements of an argument as they are stored; none if it is null or damaged.
  static func stored(
    _ call: borrowing FunctionCall,
    _ index: Int,
    _ type: AttributeType
  ) -> [SQLiteValue] {
    switch call.kind(index) {
    case .blob: unpack(UnsafeRawBufferPointer(call.bytes(index)))
    case .text: parse(call.bytes(index), type).map(StoredValue.encode)
    default: []
    }
  }

  /// Returns the elements of an argument as values.
  static func decode(
    _ call: borrowing FunctionCall,
    _ index: Int,
    _ type: AttributeType
  ) -> [Value] {
    guard call.kind(index) == .blob else { return parse(call.bytes(index), type) }
    return unpack(UnsafeRawBufferPointer(call.bytes(index))).map { value in
      switch value {
      case .null: .null
      case .integer(let value): type == .bool ? .bool(value != 0) : .int64(value)
      case .real(let value): StoredValue.number(value, as: type)
      case .text(let text):
        Array(text.utf8).withUnsafeBufferPointer { StoredValue.text($0, as: type) }
      case .blob(let bytes):
        bytes.withUnsafeBufferPointer { StoredValue.blob($0, as: type) }
      }
    }
  }

  private static func unpack(_ bytes: UnsafeRawBufferPointer) -> [SQLiteValue] {
    var values: [SQLiteValue] = []
    values.reserveCapacity(bytes.count / 9)
    var position = 0
    while position < bytes.count {
      let kind = bytes[position]
      position += 1
      if kind == Kind.null {
        values.append(.null)
        continue
      }
      guard position + 8 <= bytes.count else { return values }
      let word = UInt64(
        littleEndian: bytes.loadUnaligned(fromByteOffset: position, as: UInt64.self)
      )
      position += 8
      switch kind {
      case Kind.integer: values.append(.integer(Int64(bitPattern: word)))
      case Kind.real: values.append(.real(Double(bitPattern: word)))
      default:
        guard let count = Int(exactly: word), count <= bytes.count - position else { return values }
        let part = UnsafeRawBufferPointer(rebasing: bytes[position..<position + count])
        position += count
        values.append(
          kind == Kind.text ? .text(String(decoding: part, as: UTF8.self)) : .blob(Array(part))
        )
      }
    }
    return values
  }

  private static func parse(
    _ bytes: UnsafeBufferPointer<UInt8>,
    _ type: AttributeType
  ) -> [Value] {
    var values: [Value] = []
    do {
      var reader = try RowReader(bytes)
      while !reader.isAtEndOfRow() {
        values.append(try reader.field().value(as: type) ?? .null)
      }
    } catch {
      return values
    }
    return values
  }
}
