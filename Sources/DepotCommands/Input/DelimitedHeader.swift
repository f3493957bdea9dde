internal import DepotProtocol

/// The header row of a CSV file: which attribute each field belongs to.
struct DelimitedHeader {
  /// The attribute of each field; `nil` where the field is left out.
  private let attributes: [Attribute?]
  private let nullText: [UInt8]?

  /// Reads a header row.
  ///
  /// - Parameters:
  ///   - record: The first row of the file.
  ///   - entity: The entity that the rows are of.
  ///   - ignoresUnknown: Whether fields that the entity doesn't have are left out.
  ///   - nullText: What stands for null besides an empty field, if it isn't in quotation marks.
  /// - Throws: ``DepotError`` `schema.unknown_attribute`, or `request.usage` if a name stands twice.
  init(
    _ record: DelimitedRecord,
    of entity: Entity,
    ignoresUnknown: Bool,
    nullText: String?
  ) throws(DepotError) {
    var attributes: [Attribute?] = []
    for field in record.fields {
      let name = String(decoding: field.bytes, as: UTF8.self)
      let attribute = entity[name]
      if attribute == nil, !ignoresUnknown, name != "$id", name != "$version" {
        throw entity.unknownAttribute(name)
      }
      if let attribute, attributes.contains(attribute) {
        throw DepotError(.usage, "The header names \"\(name)\" twice.")
      }
      attributes.append(attribute)
    }
    self.attributes = attributes
    self.nullText = nullText.map { Array($0.utf8) }
  }

  /// The names of the attributes that the rows have values for.
  var columns: [String] { attributes.compactMap { $0?.name } }

  /// How many fields a row has.
  var count: Int { attributes.count }

  /// Appends a row, from `[` to `]`.
  ///
  /// - Throws: ``DepotError`` `request.type`; then nothing was appended.
  func append(_ record: DelimitedRecord, to output: inout [UInt8]) throws(DepotError) {
    guard record.fields.count == attributes.count else {
      throw DepotError(
        .type,
        "The row has \(record.fields.count) fields; the header has \(attributes.count)."
      )
    }
    var writer = JSONWriter(capacity: record.text.count + 16)
    var isFirst = true
    for (field, attribute) in zip(record.fields, attributes) {
      guard let attribute else { continue }
      writer.raw(isFirst ? "[" : ",")
      isFirst = false
      do throws(DepotError) {
        try write(field, attribute, &writer)
      } catch {
        throw error.at(attribute.name)
      }
    }
    writer.raw(isFirst ? "[]" : "]")
    output.append(contentsOf: writer.bytes)
  }

  private func write(
    _ field: DelimitedRecord.Field,
    _ attribute: Attribute,
    _ writer: inout JSONWriter
  ) throws(DepotError) {
    if let nullText, !field.isQuoted, field.bytes == nullText { return writer.raw("null") }
    if field.bytes.isEmpty, attribute.type != .string {
      if let value = attribute.defaultValue { return writer.write(value) }
      if attribute.isOptional { return writer.raw("null") }
    }
    try field.bytes.withUnsafeBufferPointer { bytes throws(DepotError) in
      guard UTF8Sequence.isValid(bytes) else { throw DepotError(.json, "The text isn't UTF-8.") }
      if attribute.type == .string { return writer.string(utf8: bytes) }
      let text = String(decoding: bytes, as: UTF8.self)
      try TextValue.write(text, as: attribute.type, to: &writer)
    }
  }
}
