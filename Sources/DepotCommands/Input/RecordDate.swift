internal import DepotProtocol

/// The texts of dates in records, which may be as other programs write them.
enum RecordDate {
  /// Returns what the service takes in the place of JSON text; `nil` unless that is another text of a date.
  static func exact(_ text: some BidirectionalCollection<UInt8>) -> [UInt8]? {
    let quote = UInt8(ascii: "\"")
    // Most are as the service takes them, and it says what is wrong with the others.
    guard text.first == quote,
      text.count != Self.usualCount || text.dropLast().last != UInt8(ascii: "Z"),
      let exact = DateText.exact(text.dropFirst().dropLast()),
      !exact.utf8.elementsEqual(text.dropFirst().dropLast())
    else { return nil }
    return [quote] + exact.utf8 + [quote]
  }

  /// Whether an attribute has values that are such texts.
  static func isOne(_ attribute: Attribute) -> Bool {
    attribute.type == .date && attribute.collection == nil
  }

  /// The length of a date to the second in quotation marks.
  private static let usualCount = "\"2026-05-01T12:00:00Z\"".utf8.count
}
