/// A set of identifiers of rows, in which those that are close together need little memory.
struct IdentifierSet: Sendable {
  /// How many words there may be, of 64 identifiers each; they need about 4 MiB.
  static let wordLimit = 131_072

  private var words: [Int64: UInt64] = [:]
  private(set) var count = 0

  /// Whether it needs more memory than it should.
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
