internal import DepotProtocol
internal import DepotSQLite

/// The writing of a statement's rows as JSON, straight from SQLite's columns.
struct RowReading {
  private let entity: EntityLayout
  private let fields: [Field]
  private let isFull: Bool

  /// One attribute of each row.
  private struct Field {
    var type: AttributeType
    /// The position in the layout.
    var position: Int
    /// The slot in the checksum.
    var slot: Int
  }

  init(_ shape: RowShape) {
    entity = shape.layout
    isFull = shape.isFull
    fields = shape.positions.map {
      Field(
        type: shape.layout.fields[$0].attribute.type,
        position: $0,
        slot: shape.layout.storedPositions[$0].map { shape.layout.slots[$0] } ?? 0
      )
    }
  }

  /// Writes the current row of a statement that selects the columns of the shape.
  ///
  /// - Throws: ``DepotError`` `storage.corrupt` or `storage.invalid_text` if the row is damaged.
  func write(
    _ row: borrowing Row,
    int64 form: Hello.Int64Form,
    to writer: inout JSONWriter
  ) throws(DepotError) {
    let identifier = row.integer(0)
    let version = row.integer(1)
    writer.bytes.append(UInt8(ascii: "["))
    writer.integer(identifier, as: form)
    writer.bytes.append(UInt8(ascii: ","))
    writer.integer(version, as: form)
    if isFull {
      var checksum = RowChecksum(identifier: identifier, version: version)
      for (index, field) in fields.enumerated() {
        try write(row, index + 3, field, form, &checksum, to: &writer)
      }
      guard checksum.value == row.integer(2) else {
        throw corrupt(row, "Its checksum doesn't match.")
      }
    } else {
      var unused = RowChecksum(identifier: 0, version: 0)
      for (index, field) in fields.enumerated() {
        try write(row, index + 2, field, form, &unused, to: &writer)
      }
    }
    writer.bytes.append(UInt8(ascii: "]"))
  }

  @inline(__always)
  private func write(
    _ row: borrowing Row,
    _ column: Int,
    _ field: Field,
    _ form: Hello.Int64Form,
    _ checksum: inout RowChecksum,
    to writer: inout JSONWriter
  ) throws(DepotError) {
    writer.bytes.append(UInt8(ascii: ","))
    switch row.kind(column) {
    case .null:
      writer.raw("null")
    case .integer:
      let value = row.integer(column)
      checksum.add(value, at: field.slot)
      switch field.type {
      case .int64: writer.integer(value, as: form)
      case .bool: writer.bool(value != 0)
      default: throw unexpected(row, field)
      }
    case .real:
      let value = row.real(column)
      checksum.add(value, at: field.slot)
      switch field.type {
      case .double: writer.double(value)
      case .date: DateText.write(value, to: &writer)
      default: throw unexpected(row, field)
      }
    case .text:
      guard field.type == .string || field.type == .url else { throw unexpected(row, field) }
      let text = row.textBytes(column)
      checksum.add(text: text, at: field.slot)
      guard UTF8Sequence.isValid(text) else { throw invalidText(row, field) }
      writer.string(utf8: text)
    case .blob:
      let bytes = row.blobBytes(column)
      checksum.add(blob: bytes, at: field.slot)
      guard Self.write(blob: bytes, as: field.type, to: &writer) else {
        throw unexpected(row, field)
      }
    }
  }

  /// Writes a blob; returns false if `type` has no such blobs.
  private static func write(
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

  private func unexpected(_ row: borrowing Row, _ field: Field) -> DepotError {
    corrupt(row, "Its \(entity.fields[field.position].path) isn't stored as its type is.")
  }

  private func corrupt(_ row: borrowing Row, _ message: String) -> DepotError {
    DepotError(.corrupt, "\(entity.name)/\(row.integer(0)) is damaged. \(message)")
      .hint("Restore the store from a backup, or delete the row.")
  }

  private func invalidText(_ row: borrowing Row, _ field: Field) -> DepotError {
    let name = entity.fields[field.position].path
    return DepotError(
      .invalidText,
      "\(name) of \(entity.name)/\(row.integer(0)) isn't valid UTF-8."
    ).hint("Restore the store from a backup, or delete the row.")
  }
}

extension JSONWriter {
  /// Writes 16 bytes as a UUID in lower case.
  fileprivate mutating func uuid(_ value: UnsafeBufferPointer<UInt8>) {
    bytes.append(UInt8(ascii: "\""))
    for (index, byte) in value.enumerated() {
      if index == 4 || index == 6 || index == 8 || index == 10 { bytes.append(UInt8(ascii: "-")) }
      bytes.append(Self.hexDigit(byte >> 4))
      bytes.append(Self.hexDigit(byte & 0xF))
    }
    bytes.append(UInt8(ascii: "\""))
  }

  private static func hexDigit(_ value: UInt8) -> UInt8 { value < 10 ? 0x30 + value : 0x57 + value }

  /// Writes bytes in the alphabet of RFC 4648 section 4, padded.
  fileprivate mutating func base64(_ value: UnsafeBufferPointer<UInt8>) {
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
