internal import Glibc

/// A value that PostgreSQL stores, or an array of values.
package enum PostgresValue: Hashable, Sendable {
  case null
  /// A `bigint`.
  case integer(Int64)
  /// A `text`, without the character U+0000.
  case text(String)
  /// A `bytea`.
  case bytes([UInt8])
  /// An array with one dimension, whose elements are of one type or null.
  case array(of: PostgresType, [PostgresValue])
}

/// The types of parameters, by their object identifiers (pg_type.dat).
package enum PostgresType: UInt32, Sendable {
  case bytes = 17
  case integer = 20
  case text = 25

  var array: UInt32 {
    switch self {
    case .bytes: 1001
    case .integer: 1016
    case .text: 1009
    }
  }
}

extension PostgresValue {
  /// The type of a parameter with this value; 0 for null, whose type the server infers.
  var typeIdentifier: UInt32 {
    if case .array(let element, _) = self { return element.array }
    return elementType?.rawValue ?? 0
  }

  private var elementType: PostgresType? {
    switch self {
    case .null, .array: nil
    case .integer: .integer
    case .text: .text
    case .bytes: .bytes
    }
  }

  /// Checks that the server could accept it.
  ///
  /// - Throws: ``PostgresError`` of the kind `invalidValue` if it couldn't.
  func check() throws(PostgresError) {
    var size = 0
    switch self {
    case .null, .integer: return
    case .text(let text):
      size = text.utf8.count
      if text.containsNull {
        throw PostgresError(.invalidValue, "a text can't hold the character U+0000 there")
      }
    case .bytes(let bytes): size = bytes.count
    case .array(_, let elements):
      for element in elements { try element.check() }
    }
    if size >= 1 << 30 {
      throw PostgresError(.invalidValue, "a value has to be below 1 GiB, and this has \(size) B")
    }
  }

  /// Appends its size in four bytes, and its binary encoding.
  func append(to bytes: inout [UInt8]) {
    if case .null = self { return bytes.append(bigEndian: Int32(-1)) }
    let start = bytes.count
    bytes.append(bigEndian: Int32(0))
    switch self {
    case .null: break
    case .integer(let value): bytes.append(bigEndian: value)
    case .text(let value): bytes.append(contentsOf: value.utf8)
    case .bytes(let value): bytes.append(contentsOf: value)
    case .array(let type, let elements):
      bytes.append(bigEndian: Int32(elements.isEmpty ? 0 : 1))
      bytes.append(bigEndian: Int32(elements.contains(.null) ? 1 : 0))
      bytes.append(bigEndian: type.rawValue)
      if !elements.isEmpty {
        bytes.append(bigEndian: Int32(elements.count))
        bytes.append(bigEndian: Int32(1))
      }
      for element in elements {
        precondition(
          element == .null || element.elementType == type,
          "The elements of an array are of its type or null."
        )
        element.append(to: &bytes)
      }
    }
    bytes.replace(bigEndian: Int32(bytes.count - start - 4), at: start)
  }
}

extension String {
  /// Whether it has the character U+0000.
  var containsNull: Bool {
    utf8.withContiguousStorageIfAvailable { bytes in
      bytes.baseAddress.map { memchr($0, 0, bytes.count) != nil } ?? false
    } ?? utf8.contains(0)
  }
}

extension [UInt8] {
  mutating func append(bigEndian value: some FixedWidthInteger) {
    Swift.withUnsafeBytes(of: value.bigEndian) { append(contentsOf: $0) }
  }

  mutating func replace(bigEndian value: some FixedWidthInteger, at index: Int) {
    Swift.withUnsafeBytes(of: value.bigEndian) { value in
      withUnsafeMutableBytes { $0[index..<index + value.count].copyBytes(from: value) }
    }
  }
}
