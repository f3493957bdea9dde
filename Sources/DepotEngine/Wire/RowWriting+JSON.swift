internal import DepotProtocol
internal import DepotSQLite

extension RowWriting {
  /// The most bytes of a row, which leave room in its frame.
  private static let mostBytes = Limits.frameBytes - (1 << 20)

  /// Writes the current row of a statement, after skipping `offset` columns.
  ///
  /// A row that doesn't fit into a frame has the lengths of its largest texts and data.
  ///
  /// - Throws: ``DepotError`` `limit.frame_bytes` as soon as the row is larger than `limit` bytes.
  func write(
    _ row: borrowing Row,
    from offset: Int = 0,
    int64 form: Int64Form,
    limit: Int = .max,
    to writer: inout JSONWriter
  ) throws(DepotError) {
    try withUnsafeTemporaryAllocation(of: UInt8.self, capacity: JSONPiece.capacity) {
      (memory) throws(DepotError) in
      var piece = JSONPiece(in: memory)
      try write(row, from: offset, int64: form, limit: limit, &piece, to: &writer)
      piece.move(to: &writer)
    }
  }

  /// Returns the bytes that the function above writes.
  func bytes(of row: borrowing Row, int64 form: Int64Form) throws(DepotError) -> [UInt8] {
    var writer = JSONWriter(capacity: 128)
    try write(row, int64: form, to: &writer)
    return writer.bytes
  }

  /// Writes the current row as the function above does, to a piece that may have other rows.
  func write(
    _ row: borrowing Row,
    from offset: Int = 0,
    int64 form: Int64Form,
    limit: Int = .max,
    _ piece: inout JSONPiece,
    to writer: inout JSONWriter
  ) throws(DepotError) {
    let (begun, gathered) = (writer.bytes.count, piece.count)
    let most = min(limit, Self.mostBytes)
    var delimiter = UInt8(ascii: "[")
    if hasIdentity {
      write(row.integer(offset), after: delimiter, form, &piece, to: &writer)
      delimiter = UInt8(ascii: ",")
      write(row.integer(offset + 1), after: delimiter, form, &piece, to: &writer)
    }
    for index in 0..<values.count {
      try write(row, offset, values[index], after: delimiter, form, &piece, to: &writer)
      delimiter = UInt8(ascii: ",")
      // A row that is all in the piece isn't large.
      if writer.bytes.count != begun, writer.bytes.count + piece.count - begun - gathered > most {
        piece.move(to: &writer)
        writer.bytes.removeSubrange((begun + gathered)...)
        guard limit > most, hasIdentity else { throw tooLarge }
        return try writeShort(row, offset, form, &piece, to: &writer)
      }
    }
    if delimiter == UInt8(ascii: "[") { piece.byte(delimiter, to: &writer) }
    piece.byte(UInt8(ascii: "]"), to: &writer)
  }

  /// Writes a row with lengths in the place of as many texts and data as necessary, the largest first.
  private func writeShort(
    _ row: borrowing Row,
    _ offset: Int,
    _ form: Int64Form,
    _ piece: inout JSONPiece,
    to writer: inout JSONWriter
  ) throws(DepotError) {
    var sizes: [(place: Int, bytes: Int, length: Int)] = []
    var size = 0
    for (place, column) in values.enumerated() {
      let (bytes, length) = Self.size(row.content(offset + column.index), column.form)
      size += bytes
      if let length { sizes.append((place, bytes, length)) }
    }
    var lengths: [Int: Int] = [:]
    for value in sizes.sorted(by: { $0.bytes > $1.bytes }) where size > Self.mostBytes {
      size -= value.bytes
      lengths[value.place] = value.length
    }
    guard size <= Self.mostBytes else { throw tooLarge }
    write(row.integer(offset), after: UInt8(ascii: "["), form, &piece, to: &writer)
    write(row.integer(offset + 1), after: UInt8(ascii: ","), form, &piece, to: &writer)
    for (place, column) in values.enumerated() {
      guard let length = lengths[place] else {
        try write(row, offset, column, after: UInt8(ascii: ","), form, &piece, to: &writer)
        continue
      }
      piece.move(to: &writer)
      writer.raw(",{\"$length\":")
      writer.integer(length)
      writer.raw("}")
    }
    piece.byte(UInt8(ascii: "]"), to: &writer)
  }

  /// Returns the most bytes of a value as JSON, and the length of a text or data.
  private static func size(
    _ content: Row.Content,
    _ form: RowColumn.Form
  ) -> (bytes: Int, length: Int?) {
    switch (content, form) {
    case (.text(let text), .scalar(.string)):
      let bytes = text.reduce(2) { $0 + ($1 < 0x20 ? 6 : $1 == 0x22 || $1 == 0x5C ? 2 : 1) }
      return (bytes, text.count)
    case (.blob(let data), .scalar(.data)): return (data.count / 3 * 4 + 6, data.count)
    case (.text(let bytes), _), (.blob(let bytes), _): return (2 * bytes.count + 64, nil)
    default: return (32, nil)
    }
  }

  @inline(__always)
  private func write(
    _ value: Int64,
    after delimiter: UInt8,
    _ form: Int64Form,
    _ piece: inout JSONPiece,
    to writer: inout JSONWriter
  ) {
    if case .number = form { return piece.integer(value, after: delimiter, to: &writer) }
    piece.byte(delimiter, to: &writer)
    piece.move(to: &writer)
    writer.integer(value, as: form)
  }

  /// Writes a value: to the piece if it has a frequent form, otherwise directly.
  @inline(__always)
  private func write(
    _ row: borrowing Row,
    _ offset: Int,
    _ column: Column,
    after delimiter: UInt8,
    _ form: Int64Form,
    _ piece: inout JSONPiece,
    to writer: inout JSONWriter
  ) throws(DepotError) {
    let content = row.content(offset + column.index)
    switch (content, column.form) {
    case (.integer(let value), .scalar(.int64)):
      write(value, after: delimiter, form, &piece, to: &writer)
    case (.integer(let value), .scalar(.bool)):
      piece.byte(delimiter, to: &writer)
      piece.raw(value != 0 ? "true" : "false", to: &writer)
    case (.real(let value), .scalar(.double)):
      piece.double(value, after: delimiter, to: &writer)
    case (.text(let text), .scalar(.string)):
      guard piece.string(utf8: text, after: delimiter, to: &writer) else {
        throw invalidText(row, offset, column)
      }
    default:
      piece.byte(delimiter, to: &writer)
      if case .null = content, !column.isSum {
        return piece.raw(column.form == .identifiers ? "[]" : "null", to: &writer)
      }
      piece.move(to: &writer)
      try write(content, row, offset, column, form, to: &writer)
    }
  }

  private func write(
    _ content: Row.Content,
    _ row: borrowing Row,
    _ offset: Int,
    _ column: Column,
    _ form: Int64Form,
    to writer: inout JSONWriter
  ) throws(DepotError) {
    switch content {
    case .null: throw overflow(column)
    case .integer(let value):
      switch column.form {
      // An expression may return an integer for a double.
      case .scalar(.double): writer.double(Double(value))
      case .entity:
        guard let name = entityNames[value] else { throw unexpected(row, offset, column) }
        writer.raw(name)
      default:
        guard column.form.write(value, form, to: &writer) else {
          throw unexpected(row, offset, column)
        }
      }
    case .real(let value):
      guard column.form.write(value, to: &writer) else { throw unexpected(row, offset, column) }
    case .text(let text):
      guard UTF8Sequence.isValid(text) else { throw invalidText(row, offset, column) }
      guard column.form.write(text: text, form, to: &writer) else {
        throw unexpected(row, offset, column)
      }
    case .blob(let bytes):
      guard column.form.write(blob: bytes, to: &writer) else {
        throw unexpected(row, offset, column)
      }
    }
  }

  private var tooLarge: DepotError {
    DepotError(.frameTooLarge, "A row of \(entity?.name ?? "the result") is too large for a frame.")
      .hint("Select fewer attributes.")
  }

  private func overflow(_ column: Column) -> DepotError {
    DepotError(
      .overflow,
      "The sum \(columns[column.position].name) is beyond the numbers of its type."
    )
    .hint("Convert whole numbers to double before adding them up, or divide the values first.")
  }

  private func unexpected(
    _ row: borrowing Row,
    _ offset: Int,
    _ column: Column
  ) -> DepotError {
    columns[column.position].unexpectedValue(in: name(of: row, offset))
  }

  private func invalidText(
    _ row: borrowing Row,
    _ offset: Int,
    _ column: Column
  ) -> DepotError {
    columns[column.position].invalidText(in: name(of: row, offset))
  }

  private func name(of row: borrowing Row, _ offset: Int) -> String {
    guard let entity else { return "A group" }
    return hasIdentity ? "\(entity.name)/\(row.integer(offset))" : "A row of \(entity.name)"
  }
}

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

extension JSONWriter {
  /// Writes 16 bytes as a UUID in lower case.
  mutating func uuid(_ value: UnsafeBufferPointer<UInt8>) {
    bytes.append(UInt8(ascii: "\""))
    for (index, byte) in value.enumerated() {
      if index == 4 || index == 6 || index == 8 || index == 10 { bytes.append(UInt8(ascii: "-")) }
      bytes.append(Self.hexDigit(byte >> 4))
      bytes.append(Self.hexDigit(byte & 0xF))
    }
    bytes.append(UInt8(ascii: "\""))
  }

  private static func hexDigit(_ value: UInt8) -> UInt8 { value < 10 ? 0x30 + value : 0x57 + value }

  /// Writes bytes as base64 (RFC 4648 section 4), with padding.
  mutating func base64(_ value: UnsafeBufferPointer<UInt8>) {
    bytes.reserveCapacity(bytes.count + value.count / 3 * 4 + 6)
    bytes.append(UInt8(ascii: "\""))
    var index = 0
    while index < value.count {
      let rest = value.count - index
      let second = rest > 1 ? value[index + 1] : 0
      let third = rest > 2 ? value[index + 2] : 0
      bytes.append(Self.base64Digit(value[index] >> 2))
      bytes.append(Self.base64Digit(value[index] << 4 & 0x30 | second >> 4))
      bytes.append(
        rest > 1 ? Self.base64Digit(second << 2 & 0x3C | third >> 6) : UInt8(ascii: "=")
      )
      bytes.append(rest > 2 ? Self.base64Digit(third & 0x3F) : UInt8(ascii: "="))
      index += 3
    }
    bytes.append(UInt8(ascii: "\""))
  }

  private static func base64Digit(_ value: UInt8) -> UInt8 {
    switch value {
    case 0..<26: 0x41 + value
    case 26..<52: 0x61 + value - 26
    case 52..<62: 0x30 + value - 52
    case 62: UInt8(ascii: "+")
    default: UInt8(ascii: "/")
    }
  }
}
