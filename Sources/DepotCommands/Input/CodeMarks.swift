/// The marks by which a column of numbers in CSV turns out to be one of codes.
///
/// Two are: texts that differ but are the same number, as the versions `1.1` and `1.10`, and nothing
/// but digits with an unsigned exponent of one or two digits, as the codes `1E5` and `2E3`, which no
/// program writes for numbers. A price `1.10` isn't a mark as long as `1.1` isn't there too.
struct CodeMarks {
  /// The most spellings that are compared.
  private static let limit = 100_000

  /// Whether two texts are the same number.
  private(set) var hasEqual = false
  /// The number of texts such as `1E5`.
  private(set) var bareExponents = 0
  /// The hashes of texts, by those of the same texts without zeros at the end.
  private var spellings: [Int: Int] = [:]

  /// Adds the text of a number that isn't an integer.
  mutating func add(_ text: [UInt8]) {
    guard text.contains(UInt8(ascii: ".")) else {
      let exponent = text.drop { !"eE".utf8.contains($0) }.dropFirst()
      if exponent.count < 3, !exponent.contains(where: "+-".utf8.contains) { bareExponents += 1 }
      return
    }
    guard !hasEqual, !text.contains(where: { "eE".utf8.contains($0) }) else { return }
    let end = text.lastIndex { $0 != UInt8(ascii: "0") } ?? text.startIndex
    let (number, spelling) = (text[...end].hashValue, text[...].hashValue)
    if let other = spellings[number] {
      hasEqual = other != spelling
    } else if spellings.count < Self.limit {
      spellings[number] = spelling
    }
  }
}
