internal import DepotProtocol

/// A column of CSV for an attribute.
///
/// Values of the common forms are copied into JSON after a check of their bytes; ``DelimitedValue``
/// reads all others.
final class DelimitedColumn {
  /// The forms of values that are recognized by their bytes.
  fileprivate enum Form {
    case integer
    case double
    case decimal
    case bool
    case date
    case uuid
    case text
    /// A list, or another value that must be parsed.
    case other
  }

  private let attribute: Attribute
  /// The name of the attribute in messages.
  private let name: String
  private let values: DelimitedValue
  private let form: Form
  private let isOptional: Bool

  /// Creates a column.
  ///
  /// - Parameters:
  ///   - name: The path of the attribute.
  ///   - attribute: The attribute.
  ///   - values: The rules about null and lists.
  init(_ name: String, _ attribute: Attribute, _ values: DelimitedValue) {
    self.name = name
    self.attribute = attribute
    self.values = values
    form = attribute.collection == nil ? Form(attribute.type) : .other
    isOptional = attribute.isOptional
  }

  /// Writes a field as JSON.
  ///
  /// - Throws: ``DepotError`` with the name of the attribute.
  func write(_ field: DelimitedField, to writer: inout JSONWriter) throws(DepotError) {
    if writeUsual(field, to: &writer) { return }
    try DepotError.at(name, try values.write(field, as: attribute, to: &writer))
  }

  /// Writes a field of a common form; returns `false` for another form.
  private func writeUsual(_ field: DelimitedField, to writer: inout JSONWriter) -> Bool {
    let bytes = field.bytes
    if form == .other { return false }
    if values.isNull(field) {
      if isOptional { writer.raw("null") }
      return isOptional
    }
    switch form {
    case .integer where PlainText.isNumber(bytes, hasFraction: false),
      .double where PlainText.isNumber(bytes, hasFraction: true):
      writer.raw(bytes)
    case .bool where PlainText.isBool(bytes): writer.raw(bytes)
    case .decimal where PlainText.isNumber(bytes, hasFraction: true),
      .date where DateText.usual(bytes) != nil,
      .uuid where PlainText.isUUID(bytes):
      writer.raw("\"")
      writer.raw(bytes)
      writer.raw("\"")
    case .text where UTF8Sequence.isValid(bytes): writer.string(utf8: bytes)
    default: return false
    }
    return true
  }
}

extension DelimitedColumn.Form {
  fileprivate init(_ type: AttributeType) {
    switch type {
    case .int64: self = .integer
    case .double: self = .double
    case .decimal: self = .decimal
    case .bool: self = .bool
    case .date: self = .date
    case .uuid: self = .uuid
    case .string, .url: self = .text
    case .data, .json, .composite: self = .other
    }
  }
}

/// The forms of values whose JSON is the same text.
enum PlainText {
  /// The length up to which doubles, decimals, and 64-bit integers keep all digits of a number.
  private static let numberCount = 17

  /// Whether a text is digits with an optional minus and fraction.
  static func isNumber(_ text: UnsafeBufferPointer<UInt8>, hasFraction: Bool) -> Bool {
    let count = text.count
    guard count > 0, count <= numberCount else { return false }
    let isNegative = text[0] == UInt8(ascii: "-")
    let start = isNegative ? 1 : 0
    var position = start
    while position < count, isDigit(text[position]) { position += 1 }
    guard position > start, text[start] != 0x30 || position == start + 1 else { return false }
    // Only a double keeps the sign of a negative zero.
    if position == count { return !isNegative || text[start] != 0x30 }
    guard hasFraction, text[position] == UInt8(ascii: "."), position + 1 < count else {
      return false
    }
    position += 1
    while position < count, isDigit(text[position]) { position += 1 }
    return position == count
  }

  /// Whether a text is `true` or `false`.
  static func isBool(_ text: UnsafeBufferPointer<UInt8>) -> Bool {
    guard text.count == 4 || text.count == 5 else { return false }
    let word = UnsafeRawBufferPointer(text).loadUnaligned(as: UInt32.self).bigEndian
    return text.count == 4 ? word == 0x7472_7565 : word == 0x6661_6C73 && text[4] == 0x65
  }

  /// Whether a text is a UUID with its four hyphens.
  static func isUUID(_ text: UnsafeBufferPointer<UInt8>) -> Bool {
    guard text.count == 36 else { return false }
    for position in 0..<36 {
      let byte = text[position]
      switch position {
      case 8, 13, 18, 23: if byte != UInt8(ascii: "-") { return false }
      default: if !isDigit(byte), (byte | 0x20) &- UInt8(ascii: "a") >= 6 { return false }
      }
    }
    return true
  }

  @inline(__always)
  private static func isDigit(_ byte: UInt8) -> Bool { byte &- 0x30 < 10 }
}
