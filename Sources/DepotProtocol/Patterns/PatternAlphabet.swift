/// The classes of scalars that a pattern distinguishes, found as they occur in texts.
///
/// Scalars are of one kind if they are in the same sets of the pattern. A kind's signature has a
/// bit for each set, after the bits of ``PatternContext``.
struct PatternAlphabet {
  /// The maximal number of kinds.
  static let limit = 1024
  /// The number that stands for no kind.
  static let unknown = UInt16.max
  private static let cacheSize = 1024

  private let sets: [ScalarSet]
  private let hasCases: Bool
  private let needsWords: Bool
  private let needsLines: Bool
  private let wordCount: Int
  private var signatures: [[UInt64]] = []
  private var numbers: [[UInt64]: UInt16] = [:]
  /// The known kinds of ASCII characters.
  private(set) var ascii = [UInt16](repeating: unknown, count: 128)
  /// The kinds of the other scalars used last, each at the index of its last ten bits.
  private var cache: [(scalar: UInt32, kind: UInt16)] = []

  init(_ program: PatternProgram) {
    sets = program.sets
    hasCases = sets.contains(where: \.hasCases)
    needsWords = program.needsWords
    needsLines = program.needsLines
    wordCount = (sets.count + PatternContext.bitCount + 63) / 64
  }

  /// The cost of finding the kind of a scalar, in steps.
  var cost: Int { sets.count + 1 }

  /// The kind of a scalar beyond ASCII, if it was used lately.
  func kind(beyondASCII scalar: UInt32) -> UInt16 {
    guard !cache.isEmpty else { return Self.unknown }
    let entry = cache[Int(scalar) & (Self.cacheSize - 1)]
    return entry.scalar == scalar ? entry.kind : Self.unknown
  }

  /// Returns the kind of a scalar, `nil` if there are too many kinds.
  mutating func kind(of scalar: Unicode.Scalar, isLastLineEnd: Bool) -> Int? {
    if !isLastLineEnd {
      let known =
        scalar.isASCII ? ascii[Int(scalar.value)] : kind(beyondASCII: scalar.value)
      if known != Self.unknown { return Int(known) }
    }
    let signature = signature(of: scalar, isLastLineEnd: isLastLineEnd)
    let kind: UInt16
    if let number = numbers[signature] {
      kind = number
    } else {
      guard signatures.count < Self.limit else { return nil }
      kind = UInt16(signatures.count)
      numbers[signature] = kind
      signatures.append(signature)
    }
    if !isLastLineEnd { note(kind, of: scalar) }
    return Int(kind)
  }

  /// Forgets all kinds.
  mutating func removeAll() {
    signatures.removeAll()
    numbers.removeAll()
    cache.removeAll()
    ascii = [UInt16](repeating: Self.unknown, count: 128)
  }

  /// Whether a set of the pattern has the scalars of a kind.
  func has(_ set: Int, _ kind: Int) -> Bool {
    let bit = set + PatternContext.bitCount
    return signatures[kind][bit >> 6] & 1 << UInt64(bit & 63) != 0
  }

  func context(_ kind: Int) -> PatternContext {
    PatternContext(rawValue: signatures[kind][0] & (1 << UInt64(PatternContext.bitCount) - 1))
  }

  private mutating func note(_ kind: UInt16, of scalar: Unicode.Scalar) {
    if scalar.isASCII {
      ascii[Int(scalar.value)] = kind
    } else {
      if cache.isEmpty {
        cache = Array(repeating: (UInt32.max, Self.unknown), count: Self.cacheSize)
      }
      cache[Int(scalar.value) & (Self.cacheSize - 1)] = (scalar.value, kind)
    }
  }

  private func signature(of scalar: Unicode.Scalar, isLastLineEnd: Bool) -> [UInt64] {
    var result = [UInt64](repeating: 0, count: wordCount)
    var context: PatternContext = isLastLineEnd ? .lastLineEnd : []
    if needsWords, ScalarProperty.isWord(scalar) { context.insert(.word) }
    if needsLines {
      if ScalarProperty.isNewline(scalar) { context.insert(.newline) }
      if scalar == "\r" { context.insert(.carriageReturn) }
      if scalar == "\n" { context.insert(.lineFeed) }
    }
    result[0] = context.rawValue
    let cases = hasCases ? scalar.cases : []
    for (index, set) in sets.enumerated() where set.contains(scalar, cases: cases) {
      let bit = index + PatternContext.bitCount
      result[bit >> 6] |= 1 << UInt64(bit & 63)
    }
    return result
  }
}
