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
      .double where PlainText.isNumber(bytes, hasFraction: true),
      .bool where PlainText.isBool(bytes):
      writer.append(bytes)
      return true
    case .decimal where PlainText.isNumber(bytes, hasFraction: true),
      .date where DateText.usual(bytes) != nil,
      .uuid where PlainText.isUUID(bytes),
      .text:
      return writer.appendQuoted(bytes)
    default: return false
    }
  }
}

extension JSONWriter {
  /// Writes bytes that are JSON already, as `raw` does, without a call.
  @inline(__always)
  fileprivate mutating func append(_ text: UnsafeBufferPointer<UInt8>) {
    bytes.append(addingCapacity: text.count) { room in
      room.withUnsafeMutableBufferPointer { memory, count in
        UnsafeMutableRawBufferPointer(memory).copyMemory(from: UnsafeRawBufferPointer(text))
        count = text.count
      }
    }
  }

  /// Writes text in quotation marks; returns `false` if it needs escapes or isn't UTF-8.
  @inline(__always)
  fileprivate mutating func appendQuoted(_ text: UnsafeBufferPointer<UInt8>) -> Bool {
    let source = UnsafeRawBufferPointer(text)
    var isASCII = true
    var needsEscape = false
    bytes.append(addingCapacity: text.count + 2) { room in
      room.withUnsafeMutableBufferPointer { memory, count in
        let target = UnsafeMutableRawBufferPointer(memory)
        target[0] = UInt8(ascii: "\"")
        var all: UInt64 = 0
        var special: UInt64 = 0
        if text.count >= 8 {
          for position in stride(from: 0, to: text.count, by: 8) {
            // The last word may overlap the one before.
            let position = min(position, text.count - 8)
            let word = source.loadUnaligned(fromByteOffset: position, as: UInt64.self)
            target.storeBytes(of: word, toByteOffset: position + 1, as: UInt64.self)
            all |= word
            special |= ByteWord.escaped(word)
          }
        } else {
          for (position, byte) in text.enumerated() {
            target[position + 1] = byte
            all |= UInt64(byte)
            special |= ByteWord.escaped(ByteWord.spaces << 8 | UInt64(byte))
          }
        }
        target[text.count + 1] = UInt8(ascii: "\"")
        isASCII = all & ByteWord.highBits == 0
        needsEscape = special != 0
        count = needsEscape ? 0 : text.count + 2
      }
    }
    if needsEscape { return false }
    if isASCII || UTF8Sequence.isValid(text) { return true }
    bytes.removeLast(text.count + 2)
    return false
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
