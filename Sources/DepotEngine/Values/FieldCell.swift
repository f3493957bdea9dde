internal import DepotProtocol
internal import DepotSQLite
internal import FoundationEssentials

extension Cell {
  /// Reads a value of a request as `type`; `nil` if it isn't of that type.
  ///
  /// Its bytes are in the request if possible, and otherwise copied to the arena.
  @inline(__always)
  init?(_ field: RowField, as type: AttributeType, in arena: CellArena) {
    if field.isNull {
      self = .null
      return
    }
    switch type {
    case .string:
      guard field.kind == .string else { return nil }
      self = .text(Self.characters(field, in: arena))
    case .int64:
      guard let value = field.int64 else { return nil }
      self = .integer(value)
    case .bool:
      guard let value = field.bool else { return nil }
      self = .integer(value ? 1 : 0)
    case .double:
      guard let value = field.double else { return nil }
      self = Self.number(value)
    case .date:
      guard let value = field.referenceSeconds else { return nil }
      self = Self.number(value)
    case .uuid, .data, .decimal, .url, .json, .composite:
      guard let cell = Self.rare(field, as: type, in: arena) else { return nil }
      self = cell
    }
  }

  private static func rare(
    _ field: RowField,
    as type: AttributeType,
    in arena: CellArena
  ) -> Cell? {
    switch type {
    case .uuid:
      field.uuid.map { uuid in
        withUnsafeBytes(of: uuid.uuid) { Cell.blob(arena.copy($0)) }
      }
    case .data: field.data.map { Cell.blob(arena.copy($0)) }
    case .decimal: field.decimal.map { Cell.blob(arena.copy(DecimalKey.encode($0))) }
    default: field.url.map { Cell.text(arena.copy($0.absoluteString.utf8)) }
    }
  }

  @inline(__always)
  private static func characters(
    _ field: RowField,
    in arena: CellArena
  ) -> UnsafeBufferPointer<UInt8> {
    guard field.isComplex else { return field.bytes }
    let room = arena.allocate(field.bytes.count)
    let count = field.unescape(into: room)
    return UnsafeBufferPointer(rebasing: room[..<count])
  }

  /// NaN is stored as an empty blob, because SQLite would store it as null.
  private static func number(_ value: Double) -> Cell {
    value.isNaN ? .blob(UnsafeBufferPointer(start: nil, count: 0)) : .real(value)
  }

  /// Converts a value of a schema, whose bytes are copied to the arena.
  init(_ value: Value, in arena: CellArena) {
    self.init(stored: StoredValue.encode(value), in: arena)
  }

  /// Converts an attribute's default; null if there is none.
  init(defaultOf attribute: Attribute, in arena: CellArena) throws(DepotError) {
    let value = attribute.defaultValue ?? .null
    switch (value, attribute.collection) {
    case (.list(let elements), let collection?):
      self = .text(arena.copy(CollectionText.write(elements, isSet: collection == .set)))
    case (.double(let number), nil) where attribute.width == .float:
      self.init(.double(Double(Float(number))), in: arena)
    case (.json(let text), nil):
      var text = text
      let compacted = text.withUTF8 { bytes in
        RowField(kind: .object, isComplex: true, bytes: bytes).compactBytes
      }
      guard let compacted else {
        throw DepotError(.invalidSchema, "The default of \(attribute.name) isn't JSON.")
      }
      self = .text(arena.copy(compacted))
    default: self.init(value, in: arena)
    }
  }

  /// The size of a text or blob in bytes.
  var byteCount: Int {
    switch self {
    case .text(let bytes), .blob(let bytes): bytes.count
    default: 0
    }
  }
}
