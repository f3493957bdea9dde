/// A set of identifiers of rows that takes little memory for identifiers close to each other.
struct IdentifierSet: Sendable {
  /// The most words, of 64 identifiers each; they take about 4 MiB.
  static let wordLimit = 131_072

  private var words: [Int64: UInt64] = [:]
  private(set) var count = 0

  /// Whether it exceeds the limit of memory.
  var isTooLarge: Bool { words.count > Self.wordLimit }

  func contains(_ identifier: Int64) -> Bool {
    (words[identifier >> 6] ?? 0) & Self.bit(identifier) != 0
  }

  mutating func insert(_ identifier: Int64) {
    let bit = Self.bit(identifier)
    let old = words[identifier >> 6, default: 0]
    guard old & bit == 0 else { return }
    words[identifier >> 6] = old | bit
    count += 1
  }

  mutating func remove(_ identifier: Int64) {
    let bit = Self.bit(identifier)
    guard let old = words[identifier >> 6], old & bit != 0 else { return }
    words[identifier >> 6] = old == bit ? nil : old & ~bit
    count -= 1
  }

  private static func bit(_ identifier: Int64) -> UInt64 { 1 << UInt64(identifier & 63) }
}
