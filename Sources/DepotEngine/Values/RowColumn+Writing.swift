internal import DepotProtocol

/// Writes SQLite's values as JSON; each function returns `false` for a value of another form.
extension RowColumn.Form {
  @inline(__always)
  func write(_ value: Int64, _ form: Int64Form, to writer: inout JSONWriter) -> Bool {
    switch self {
    case .scalar(.int64): writer.integer(value, as: form)
    case .scalar(.bool): writer.bool(value != 0)
    default: return false
    }
    return true
  }

  @inline(__always)
  func write(_ value: Double, to writer: inout JSONWriter) -> Bool {
    switch self {
    case .scalar(.double): writer.double(value)
    case .scalar(.date): DateText.write(value, to: &writer)
    default: return false
    }
    return true
  }

  /// Writes a text, which must be valid UTF-8.
  @inline(__always)
  func write(
    text: UnsafeBufferPointer<UInt8>,
    _ form: Int64Form,
    to writer: inout JSONWriter
  ) -> Bool {
    switch self {
    case .scalar(.string), .scalar(.url): writer.string(utf8: text)
    case .json: writer.raw(text)
    case .list(let type): Self.write(list: text, of: type, form, to: &writer)
    case .identifiers: Self.write(identifiers: text, form, to: &writer)
    case .external, .scalar(.data): return Self.write(reference: text, to: &writer)
    default: return false
    }
    return true
  }

  @inline(__always)
  func write(blob bytes: UnsafeBufferPointer<UInt8>, to writer: inout JSONWriter) -> Bool {
    switch self {
    case .external, .scalar(.string): Self.write(reference: bytes, to: &writer)
    case .scalar(let type): Self.write(blob: bytes, as: type, to: &writer)
    default: false
    }
  }
}

extension RowColumn.Form {
  /// Writes the length of a value stored outside the row; `false` if it isn't a reference.
  fileprivate static func write(
    reference text: UnsafeBufferPointer<UInt8>,
    to writer: inout JSONWriter
  ) -> Bool {
    guard let reference = BlobReference(text) else { return false }
    writer.raw("{\"$length\":")
    writer.integer(reference.length)
    writer.raw("}")
    return true
  }

  /// Writes a list of comma-separated identifiers.
  fileprivate static func write(
    identifiers text: UnsafeBufferPointer<UInt8>,
    _ form: Int64Form,
    to writer: inout JSONWriter
  ) {
    writer.raw("[")
    write(numbers: text, form, to: &writer)
    writer.raw("]")
  }

  /// Writes a stored JSON array, with integers in the form of the connection.
  fileprivate static func write(
    list text: UnsafeBufferPointer<UInt8>,
    of type: AttributeType,
    _ form: Int64Form,
    to writer: inout JSONWriter
  ) {
    guard type == .int64, form == .string, text.count > 2 else { return writer.raw(text) }
    writer.raw("[")
    write(numbers: UnsafeBufferPointer(rebasing: text[1..<text.count - 1]), form, to: &writer)
    writer.raw("]")
  }

  fileprivate static func write(
    numbers text: UnsafeBufferPointer<UInt8>,
    _ form: Int64Form,
    to writer: inout JSONWriter
  ) {
    guard form == .string else { return writer.raw(text) }
    writer.separated(text.split(separator: UInt8(ascii: ","))) { writer, number in
      writer.raw("\"")
      writer.raw(number)
      writer.raw("\"")
    }
  }

  /// Writes a blob; `false` if `type` has no such blobs.
  fileprivate static func write(
    blob bytes: UnsafeBufferPointer<UInt8>,
    as type: AttributeType,
    to writer: inout JSONWriter
  ) -> Bool {
    switch type {
    case .data:
      writer.base64(bytes)
    case .uuid where bytes.count == 16:
      writer.uuid(bytes)
    case .decimal:
      guard let value = DecimalKey.decode(bytes) else { return false }
      writer.write(.decimal(value))
    case .double where bytes.isEmpty:
      writer.double(.nan)
    case .date where bytes.isEmpty:
      DateText.write(.nan, to: &writer)
    default:
      return false
    }
    return true
  }
}

extension RowColumn {
  /// Checks that a stored value has the column's form.
  ///
  /// - Throws: ``DepotError`` `storage.corrupt` or `storage.text` if the row is damaged.
  func check(_ cell: Cell, of layout: EntityLayout, _ identifier: Int64) throws(DepotError) {
    if case .text(let text) = cell, !UTF8Sequence.isValid(text) {
      throw invalidText(in: "\(layout.name)/\(identifier)")
    }
    guard form.holds(cell) else { throw unexpectedValue(in: "\(layout.name)/\(identifier)") }
  }

  /// The error for a stored value of another form.
  func unexpectedValue(in row: String) -> DepotError {
    DepotError(.corrupt, "\(row) is damaged. Its \(name) isn't stored as its type is.")
      .hint(Self.damageHint)
  }

  /// The error for a stored text that isn't valid.
  func invalidText(in row: String) -> DepotError {
    DepotError(.invalidText, "\(name) of \(row) isn't valid UTF-8.").hint(Self.damageHint)
  }

  private static let damageHint = "Restore the store from a backup, or delete the row."
}

extension RowColumn.Form {
  /// Whether a value has the form.
  fileprivate func holds(_ cell: Cell) -> Bool {
    switch (cell, self) {
    case (.null, _): true
    case (.text(let bytes), .external), (.blob(let bytes), .external),
      (.text(let bytes), .scalar(.data)), (.blob(let bytes), .scalar(.string)):
      BlobReference(bytes) != nil
    case (.integer, .scalar(let type)): type == .int64 || type == .bool
    case (.real, .scalar(let type)): type == .double || type == .date
    case (.text, .scalar(let type)): type == .string || type == .url
    case (.text, .list), (.text, .json), (.text, .identifiers): true
    case (.blob(let bytes), .scalar(let type)):
      switch type {
      case .data: true
      case .uuid: bytes.count == 16
      case .decimal: DecimalKey.decode(bytes) != nil
      case .double, .date: bytes.isEmpty
      default: false
      }
    default: false
    }
  }
}
