internal import DepotProtocol

/// Reads a CSV field as a value of an attribute.
///
/// As in PostgreSQL, an empty field is null, and a quoted empty one is the empty text. Both are the
/// empty text for a text attribute that can't be null.
struct DelimitedValue {
  /// The text for null, if one was chosen.
  private let nullText: [UInt8]?
  /// The separator of values in lists that aren't written as JSON.
  private let listSeparator: Character

  init(nullText: String?, listSeparator: Character = ";") {
    self.nullText = nullText.map { Array($0.utf8) }
    self.listSeparator = listSeparator
  }

  /// Whether a field means null, if the attribute allows it.
  @inline(__always)
  func isNull(_ field: DelimitedField) -> Bool {
    if field.isQuoted { return false }
    guard let nullText else { return field.bytes.isEmpty }
    return field.bytes.elementsEqual(nullText)
  }

  /// Writes a field as JSON.
  ///
  /// - Throws: ``DepotError`` `request.type`, or `protocol.json` if it isn't UTF-8.
  func write(
    _ field: DelimitedField,
    as attribute: Attribute,
    to writer: inout JSONWriter
  ) throws(DepotError) {
    let isNull = isNull(field)
    if isNull, attribute.isOptional || nullText != nil { return writer.raw("null") }
    let isList = attribute.collection != nil
    if field.bytes.isEmpty, !isList, !Self.hasEmptyText(attribute.type) || isNull {
      if attribute.isOptional { return writer.raw("null") }
      if let value = attribute.defaultValue, attribute.type != .string {
        return writer.write(value)
      }
    }
    if isNull, isList, let value = attribute.defaultValue { return writer.write(value) }
    if isList {
      return try writeList(field, mayOmit: false, to: &writer) { word, writer throws(DepotError) in
        try TextValue.write(word, as: attribute.type, to: &writer)
      }
    }
    if attribute.type == .string, UTF8Sequence.isValid(field.bytes) {
      return writer.string(utf8: field.bytes)
    }
    let text = try Self.text(field)
    switch attribute.type {
    case .string, .url, .json, .composite:
      try TextValue.write(text, as: attribute.type, to: &writer)
    case .bool: try TextValue.write(Self.bool(text.trimmed()), as: .bool, to: &writer)
    default: try TextValue.write(text.trimmed(), as: attribute.type, to: &writer)
    }
  }

  /// Returns the JSON of a truth value as spreadsheets (`TRUE`) and databases (`t`, `0`) write it.
  private static func bool(_ text: String) -> String {
    switch text.lowercased() {
    case "true", "t", "1": "true"
    case "false", "f", "0": "false"
    default: text
    }
  }

  /// Writes the references of a to-many relationship, each as ``writeReference(_:as:to:)`` does.
  func writeList(
    _ field: DelimitedField,
    ofReferences type: AttributeType?,
    to writer: inout JSONWriter
  ) throws(DepotError) {
    try writeList(field, mayOmit: true, to: &writer) { word, writer throws(DepotError) in
      try Self.writeReference(word, as: type, to: &writer)
    }
  }

  /// Writes the key of a row of another entity, or its identifier if there is no key.
  static func writeReference(
    _ text: String,
    as type: AttributeType?,
    to writer: inout JSONWriter
  ) throws(DepotError) {
    let isName = type?.isText != true && RowReference(text) != nil
    try TextValue.write(text, as: isName ? .string : type ?? .int64, to: &writer)
  }

  /// Writes a list; a text that begins with a bracket is JSON.
  ///
  /// The last element may have a separator behind it. Others may be empty only with `mayOmit`.
  private func writeList(
    _ field: DelimitedField,
    mayOmit: Bool,
    to writer: inout JSONWriter,
    _ write: (String, inout JSONWriter) throws(DepotError) -> Void
  ) throws(DepotError) {
    let text = try Self.text(field)
    if text.first == "[" { return try TextValue.write(text, as: .json, to: &writer) }
    var words = text.split(separator: listSeparator, omittingEmptySubsequences: false)
      .map { $0.trimmed() }
    if words.last?.isEmpty == true { words.removeLast() }
    guard mayOmit || !words.contains("") else {
      throw DepotError(.type, "An element of the list is empty.")
        .hint("Leave the second \"\(listSeparator)\" out, or write JSON, as in [\"a\",\"\"].")
    }
    words.removeAll { $0.isEmpty }
    try writer.array(words) { (writer, word) throws(DepotError) in try write(word, &writer) }
  }

  /// Returns the text of a field.
  static func text(_ field: DelimitedField) throws(DepotError) -> String {
    guard let text = String(validating: field.bytes, as: UTF8.self) else { throw notUTF8 }
    return text
  }

  static var notUTF8: DepotError {
    DepotError(.json, "The text isn't UTF-8.")
      .hint("Convert the file first, as by: iconv -f WINDOWS-1252 -t UTF-8 FILE | depot … -")
  }

  /// Whether a quoted empty text is a value of the type; for other types it means null.
  static func hasEmptyText(_ type: AttributeType) -> Bool {
    type == .string || type == .url || type == .data
  }
}

/// The advice to read a file of CSV with another separator.
enum SeparatorAdvice {
  /// Returns advice if a header of one column looks as if it had several; `nil` otherwise.
  static func hint(_ header: [String]) -> String? {
    guard header.count == 1 else { return nil }
    let names: [(byte: UInt8, name: String)] = [
      (UInt8(ascii: ";"), "';'"), (0x09, "tab"), (UInt8(ascii: "|"), "'|'"),
      (UInt8(ascii: ","), "','"),
    ]
    let found = names.first { header[0].utf8.contains($0.byte) }
    return found.map { "Are the fields separated by \($0.name)? Then add: --separator \($0.name)" }
  }
}
