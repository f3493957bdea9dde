internal import DepotProtocol
internal import FoundationEssentials

/// Converts a column's stored values to another type, width, or kind of collection.
struct ValueConversion {
  private let old: Attribute
  private let new: Attribute

  /// Makes the conversion; `nil` if stored values stay unchanged.
  init?(from old: Attribute, to new: Attribute) {
    self.old = old
    self.new = new
    let isSameForm =
      old.type == new.type && (new.width != .float || old.width == .float)
      || old.type == .url && new.type == .string
    let isSameCollection = old.collection == new.collection || new.collection == .array
    if isSameForm, old.collection == nil, new.collection == nil { return nil }
    if old.type == new.type, new.width != .float, old.collection != nil, isSameCollection {
      return nil
    }
  }

  /// Returns the converted value, with bytes in the arena; `nil` if the old one is invalid.
  func convert(_ cell: Cell, in arena: CellArena) throws(DepotError) -> Cell? {
    if cell.isNull { return .null }
    guard let value = StoredValue.decode(cell, of: old) else { return nil }
    var elements: [Value]
    if case .list(let list) = value { elements = list } else { elements = [value] }
    for index in elements.indices {
      guard let converted = convert(elements[index]) else { return nil }
      elements[index] = converted
    }
    var carrier = new
    carrier.defaultValue = new.collection == nil ? elements.first : .list(elements)
    return try Cell(defaultOf: carrier, in: arena)
  }

  private func convert(_ value: Value) -> Value? {
    switch (value, new.type) {
    case (.double(let number), .double) where new.width == .float: .double(Double(Float(number)))
    case (_, old.type): value
    case (.int64(let number), .decimal): .decimal(Decimal(number))
    case (.int64(let number), .double): .double(Double(number))
    case (.decimal(let number), .double): Double(number.description).map { .double($0) }
    case (_, .string): .string(Self.text(value))
    default: nil
    }
  }

  /// The value as text, as in answers but without quotation marks.
  private static func text(_ value: Value) -> String {
    switch value {
    case .string(let text): return text
    case .url(let url): return url.absoluteString
    default:
      let text = value.jsonText
      return text.first == "\"" ? String(text.dropFirst().dropLast()) : text
    }
  }
}

extension StoredValue {
  /// Returns the value in a cell of an attribute, or `nil` if it isn't of its type.
  static func decode(_ cell: Cell, of attribute: Attribute) -> Value? {
    if cell.isNull { return .null }
    if attribute.collection != nil {
      guard case .text(let bytes) = cell else { return nil }
      let field = RowField(kind: .array, isComplex: true, bytes: bytes)
      return CollectionText.read(field, of: attribute.type, nil).map(Value.list)
    }
    let value = decode(cell, as: attribute.type)
    return value.type == attribute.type ? value : nil
  }
}
