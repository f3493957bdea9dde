/// A secret: a random text of 128 bits.
struct Secret: Hashable, Sendable {
  /// 32 hexadecimal digits.
  let text: String

  init() {
    var generator = SystemRandomNumberGenerator()
    let digits = (0..<2).map { _ -> String in
      let text = String(generator.next() as UInt64, radix: 16)
      return String(repeating: "0", count: 16 - text.count) + text
    }
    text = digits.joined()
  }

  /// Compares it with a text, in a time that doesn't depend on the number of equal digits.
  func isEqual(to other: some StringProtocol) -> Bool {
    let (mine, others) = (Array(text.utf8), Array(other.utf8))
    var difference: UInt8 = mine.count == others.count ? 0 : 1
    for (index, digit) in mine.enumerated() {
      difference |= digit ^ (index < others.count ? others[index] : 0)
    }
    return difference == 0
  }
}

extension Secret: CustomStringConvertible {
  /// A placeholder, so that the secret is in no log or message.
  var description: String { "(secret)" }
}
