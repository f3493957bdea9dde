internal import DepotProtocol
internal import FoundationEssentials

/// A reader of values written by people as plain text.
enum TextValue {
  /// Writes the JSON of the value of type `type` in `text`.
  ///
  /// - Throws: ``DepotError`` `request.type` if it isn't one, `request.number_range` if it is out
  ///   of range.
  static func write(
    _ text: String,
    as type: AttributeType,
    to writer: inout JSONWriter
  ) throws(DepotError) {
    switch type {
    case .string, .url:
      writer.string(text)
    case .int64:
      writer.integer(try whole(text))
    case .double:
      guard let value = double(text) else { throw refusal(text, "a number", .double, .number) }
      writer.double(value)
    case .bool:
      guard let value = ["true": true, "false": false][text] else {
        throw refusal(text, "true or false")
      }
      writer.bool(value)
    case .date:
      // Dates without an exact text are written so.
      if text.first == "{" { return try write(text, as: .json, to: &writer) }
      guard let exact = DateText.exact(text.utf8), DateText.parse(exact.utf8) != nil else {
        throw refusal(text, DateText.forms, .date, .string)
      }
      writer.string(exact)
    case .uuid:
      guard UUID(uuidString: text) != nil else { throw refusal(text, "a UUID") }
      writer.string(text)
    case .data:
      guard Base64.decode(text) != nil else { throw refusal(text, "base64") }
      writer.string(text)
    case .decimal:
      guard DecimalText.parse(text) != nil else {
        throw refusal(text, "a decimal number", .decimal, .string)
      }
      writer.string(text)
    case .json, .composite:
      if let error = JSONDepth.error(of: text.utf8) { throw error }
      // A number may be beyond all types.
      guard (try? JSONDocument(Array(text.utf8))) != nil else { throw refusal(text, "JSON") }
      writer.raw(Array(text.utf8))
    }
  }

  private static func double(_ text: String) -> Double? {
    if let value = NonFinite.double(text) { return value }
    guard let value = Double(text), value.isFinite, !text.lowercased().hasPrefix("0x") else {
      return nil
    }
    return value
  }

  /// Reads an integer, also in the forms of spreadsheets: `5.0`, `5e3`, `+5`.
  private static func whole(_ text: String) throws(DepotError) -> Int64 {
    if let value = Int64(text) { return value }
    if DecimalText.isGrammatical(text) {
      var copy = text
      let value = copy.withUTF8 { JSONNumber.int64($0, isComplex: true) }
      if let value { return value }
    }
    throw refusal(text, "a whole number", .int64, .number)
  }

  /// Returns the error that a text has an unexpected form or doesn't fit the type.
  private static func refusal(
    _ text: String,
    _ expected: String,
    _ type: AttributeType? = nil,
    _ kind: JSONToken.Kind = .string
  ) -> DepotError {
    var copy = text
    let misfit = copy.withUTF8 { bytes -> ValueMisfit? in
      guard let type, kind == .string || DecimalText.isGrammatical(text) else { return nil }
      return RowField(kind: kind, isComplex: false, bytes: bytes).misfit(as: type)
    }
    if let misfit {
      return DepotError(misfit.code, "\"\(text.prefix(60))\" \(misfit.problem).").hint(misfit.hint)
    }
    return DepotError(.type, "\"\(text.prefix(60))\" isn't \(expected).")
  }
}
