internal import DepotProtocol

extension RowReading {
  /// Writes what a shape selects.
  init(_ shape: RowShape) {
    let layout = shape.layout
    var extra = 3 + layout.stored.count
    let outputs = shape.positions.enumerated().map { index, position in
      let field = layout.fields[position]
      if layout.isKept(field) {
        let column: Int
        if !shape.isFull {
          column = index + 2
        } else if let place = layout.storedPositions[position] {
          column = place + 3
        } else {
          column = extra
          extra += 1
        }
        return Output(source: .column(column, ValueForm(field.attribute)), path: field.path)
      }
      return Output(source: .constant(field.attribute), path: field.path)
    }
    self.init(layout, outputs, isVerified: shape.isFull)
  }
}

extension RowReading.Output.Source {
  /// The default of an attribute that isn't stored.
  static func constant(_ attribute: Attribute) -> Self {
    var value = attribute.defaultValue ?? .null
    if case .list(let elements) = value, attribute.collection == .set {
      value = .list(CollectionText.sorted(elements))
    }
    var (number, string) = (JSONWriter(), JSONWriter())
    number.write(value)
    string.write(value.writingIntegersAsText)
    return .constant(number: number.bytes, string: string.bytes)
  }
}

extension Value {
  fileprivate var writingIntegersAsText: Value {
    switch self {
    case .int64(let value): .string(String(value))
    case .list(let elements): .list(elements.map(\.writingIntegersAsText))
    default: self
    }
  }
}

extension EntityLayout {
  /// Whether the store keeps the value of a field, in its own column or in that of its inverse.
  func isKept(_ field: Field) -> Bool { !field.attribute.options.contains(.ephemeral) }

  /// The columns of a full row, and behind them what is found in the columns of inverses.
  func fullColumns(in alias: String) -> String {
    let others = fields.indices.filter { storedPositions[$0] == nil && isKept(fields[$0]) }
    return ([fullRow(in: alias)] + others.map { sql(ofField: $0, in: alias) })
      .joined(separator: ", ")
  }
}

extension JSONWriter {
  /// Writes an array of whole numbers, as strings if the connection wants them so.
  mutating func integers(_ text: UnsafeBufferPointer<UInt8>, as form: Hello.Int64Form) {
    guard form == .string else { return raw(text) }
    var isInNumber = false
    for byte in text {
      let isNumber = byte &- 0x30 < 10 || byte == UInt8(ascii: "-")
      if isNumber != isInNumber { bytes.append(UInt8(ascii: "\"")) }
      isInNumber = isNumber
      bytes.append(byte)
    }
  }
}
