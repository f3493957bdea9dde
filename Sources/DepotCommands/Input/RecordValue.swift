internal import DepotProtocol

/// The conversion of an attribute's values in records, which may be in other programs' forms.
enum RecordValue {
  case plain
  /// The text of a date.
  case date
  /// A number, or a list of them.
  case decimal

  init(of attribute: Attribute) {
    switch attribute.type {
    case .date where attribute.collection == nil: self = .date
    case .decimal: self = .decimal
    default: self = .plain
    }
  }

  /// Returns JSON text that the service accepts instead; `nil` if it accepts the text itself.
  func exact(_ text: some BidirectionalCollection<UInt8>) -> [UInt8]? {
    switch self {
    case .plain: nil
    case .date: Self.date(text)
    case .decimal: Self.decimal(text)
    }
  }

  /// Returns the date in the service's form; `nil` if the text is in that form already.
  private static func date(_ text: some BidirectionalCollection<UInt8>) -> [UInt8]? {
    let quote = UInt8(ascii: "\"")
    // Most dates have the service's own form, and the service reports errors in the others.
    guard text.first == quote,
      text.count != Self.usualCount || text.dropLast().last != UInt8(ascii: "Z"),
      let exact = DateText.exact(text.dropFirst().dropLast()),
      !exact.utf8.elementsEqual(text.dropFirst().dropLast())
    else { return nil }
    return [quote] + exact.utf8 + [quote]
  }

  /// The length of a date to the second in quotation marks.
  private static let usualCount = "\"2026-05-01T12:00:00Z\"".utf8.count

  /// Returns numbers with a fraction or an exponent as texts; `nil` if there are none.
  private static func decimal(_ text: some BidirectionalCollection<UInt8>) -> [UInt8]? {
    guard let first = text.first, first != UInt8(ascii: "\""),
      text.contains(where: { ".eE".utf8.contains($0) })
    else { return nil }
    if first == UInt8(ascii: "-") || first &- 0x30 < 10 { return quoted(text) }
    guard first == UInt8(ascii: "["), let document = try? JSONDocument(Array(text)),
      let elements = try? document.root.elements()
    else { return nil }
    return elements.map { element in
      let text = document.bytes[element.range]
      return element.kind == .number ? quoted(text) : Array(text)
    }.jsonArray
  }

  private static func quoted(_ text: some Collection<UInt8>) -> [UInt8] {
    [UInt8(ascii: "\"")] + text + [UInt8(ascii: "\"")]
  }
}
