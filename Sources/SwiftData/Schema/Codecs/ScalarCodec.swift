internal import DepotProtocol

/// The codec of a type that one column holds.
final class ScalarCodec<Content: AttributeValue>: AttributeCodec {
  private let standIn: Content?
  private let form = PlainForm(Content.self)

  init(_: Content.Type) { standIn = Placeholder.of(Content.self) }

  override var attribute: Attribute {
    var attribute = Attribute(name: "", type: Content.attributeType)
    Content.describe(&attribute)
    return attribute
  }

  override var placeholder: Any { standIn ?? () }

  override func read(_ row: inout RowReader) throws -> Any { try cell(&row).any }

  override func cell(_ row: inout RowReader) throws -> AttributeCell {
    if try row.skipNull() {
      return form == .optionalText ? .optionalText(nil) : AttributeCell(any: placeholder)
    }
    return switch form {
    case .text: .text(try String.read(from: &row))
    case .optionalText: .optionalText(try String.read(from: &row))
    case .integer: AttributeCell(try Int.read(from: &row))
    case .double: AttributeCell(try Double.read(from: &row))
    case .truth: AttributeCell(try Bool.read(from: &row))
    case .other: AttributeCell(try Content.read(from: &row))
    }
  }

  override func values(_ value: Any) throws -> [Value] {
    [try cast(value, to: Content.self).attributeValue]
  }

  override func write(_ value: Any, to row: inout RowWriter) throws {
    try write(AttributeCell(any: value), to: &row)
  }

  override func write(_ cell: AttributeCell, to row: inout RowWriter) throws {
    switch cell {
    case .text(let text) where form == .text: row.append(text)
    case .optionalText(let text) where form == .optionalText:
      if let text { row.append(text) } else { row.appendNull() }
    case .bytes(let word, _, let type) where form == .integer && type == Int.self:
      row.append(Int64(bitPattern: word))
    case .bytes(let word, _, let type) where form == .double && type == Double.self:
      row.append(Double(bitPattern: word))
    case .bytes(let word, _, let type) where form == .truth && type == Bool.self:
      row.append(word != 0)
    default: row.append(try cell.cast(to: Content.self).attributeValue)
    }
  }

  override func areEqual(_ left: Any, _ right: Any) -> Bool {
    areEqual(AttributeCell(any: left), AttributeCell(any: right))
  }

  override func areEqual(_ left: AttributeCell, _ right: AttributeCell) -> Bool {
    if case .bytes(let low, let high, let type) = left,
      case .bytes(let otherLow, let otherHigh, let other) = right, type == Content.self,
      other == type
    {
      if low == otherLow, high == otherHigh { return true }
      if form == .integer || form == .truth { return false }
      if form == .double {
        return Double(bitPattern: low).isNaN && Double(bitPattern: otherLow).isNaN
      }
    }
    guard let left = try? left.cast(to: Content.self).attributeValue,
      let right = try? right.cast(to: Content.self).attributeValue
    else { return false }
    return left.isIdentical(to: right)
  }
}

/// The types whose values a codec reads and writes itself, without asking their conformance.
private enum PlainForm {
  case text, optionalText, integer, double, truth, other

  init<Content>(_: Content.Type) {
    self =
      switch Content.self {
      case is String.Type: .text
      case is String?.Type: .optionalText
      case is Int.Type: .integer
      case is Double.Type: .double
      case is Bool.Type: .truth
      default: .other
      }
  }
}

/// The codec of a type whose values are stored as values of another type, in one column.
final class ConvertedCodec<Content, Stored>: AttributeCodec {
  private let codec: AttributeCodec
  private let standIn: Content?
  private let toStored: (Content) throws -> Stored
  private let fromStored: (Stored) -> Content?

  /// - Parameters:
  ///   - codec: The codec of the other type.
  ///   - placeholder: A stand-in for an unavailable value.
  ///   - toStored: Returns the stored form of a value.
  ///   - fromStored: Returns the value that is stored; `nil` if there is none.
  init(
    _ codec: AttributeCodec,
    placeholder: Content?,
    _ toStored: @escaping (Content) throws -> Stored,
    _ fromStored: @escaping (Stored) -> Content?
  ) {
    self.codec = codec
    standIn = placeholder
    self.toStored = toStored
    self.fromStored = fromStored
  }

  override var attribute: Attribute { codec.attribute }
  override var placeholder: Any { standIn ?? () }

  override func read(_ row: inout RowReader) throws -> Any {
    if try row.skipNull() { return placeholder }
    let stored = try codec.read(&row)
    if let value = (stored as? Stored).flatMap(fromStored) { return value }
    throw SwiftDataError(
      .storeFailure,
      "The store has \(String(reflecting: stored)), which isn't a \(Content.self).",
      hint: "Another version of the program may have stored it."
    )
  }

  override func values(_ value: Any) throws -> [Value] {
    let value = try cast(value, to: Content.self)
    return try codec.values(toStored(value))
  }
}
