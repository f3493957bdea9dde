import DepotProtocol
import Foundation
import TestSupport

/// Random values, the same for the same seed, few enough of each type that equal ones are common.
struct ValueGenerator: RandomNumberGenerator {
  private var random: SeededGenerator

  init(seed: UInt64) { random = SeededGenerator(seed: seed) }

  mutating func next() -> UInt64 { random.next() }

  mutating func int(_ range: ClosedRange<Int>) -> Int { Int.random(in: range, using: &self) }

  mutating func chance(_ part: Int, in whole: Int) -> Bool { int(1...whole) <= part }

  mutating func pick<Element>(_ elements: [Element]) -> Element {
    elements[int(0...elements.count - 1)]
  }

  /// Returns some of the elements, in a random order.
  mutating func some<Element>(of elements: [Element]) -> [Element] {
    Array(elements.shuffled(using: &self).prefix(int(0...max(elements.count / 2, 1))))
  }

  /// Returns a value that an attribute may have.
  mutating func value(of attribute: Attribute) -> Value {
    guard let kind = attribute.collection else {
      if attribute.type == .json { return .json(json(depth: 2)) }
      return attribute.width.map { value(of: $0) } ?? value(attribute.type)
    }
    var elements = (0..<int(0...4)).map { _ in value(attribute.type) }
    if kind == .set {
      elements.sort { $0.sortOrder($1) < 0 }
      var different: [Value] = []
      for element in elements where different.last?.sortOrder(element) != 0 {
        different.append(element)
      }
      elements = different
    }
    return .list(elements)
  }

  private mutating func value(of width: NumberWidth) -> Value {
    switch width.type {
    case .double: .double(pick([0, 1.5, -2.25, .nan, 0x1p100]))
    case .decimal: .decimal(pick([0, 1, 7, Decimal(string: "18446744073709551615") ?? 0]))
    default: .int64(pick([0, 1, 2, 100]))
    }
  }

  mutating func value(_ type: AttributeType) -> Value {
    switch type {
    case .string: return .string(text())
    case .int64: return .int64(pick([0, 1, -1, 2, 3, 7, 1, 2, 3, .max, .min, 1 << 53 + 1]))
    case .double:
      return .double(pick([0, -0.0, 1, 0.1, -2.5, 2, 1, .nan, .infinity, -.infinity, 0x1p53]))
    case .bool: return .bool(Bool.random(using: &self))
    case .date:
      return .date(Date(timeIntervalSinceReferenceDate: pick([0, 0.5, -1e9, .nan, 7e8, 0])))
    case .uuid: return .uuid(UUID(uuidString: pick(Self.uuids)) ?? UUID())
    case .data: return .data(pick([Data(), Data([0]), Data([0, 255]), Data([7])]))
    case .decimal:
      let text = pick(["0", "1", "-1", "0.1", "2.5", "-100", "99999999999999999999.5", "7"])
      return .decimal(Decimal(string: text) ?? 0)
    case .url:
      let text = pick(["https://swift.org/", "mailto:x@y", "HTTPS://SWIFT.ORG/A"])
      return URL(string: text).map(Value.url) ?? .null
    case .json, .composite: return .null
    }
  }

  private static let uuids = [
    "00000000-0000-0000-0000-000000000000", "10000000-0000-0000-0000-000000000001",
    "FFFFFFFF-0000-4000-8000-000000000000",
  ]

  mutating func text() -> String {
    let letters = [
      "a", "A", "b", "é", "e\u{301}", "É", "e", "ß", "SS", "ς", "Σ", "\u{10FFFF}", "\0", "*", "ı",
      "д", "Д", "İ", "1", "10", "9", "01", "\u{FF21}", "\u{FF76}\u{FF9E}", "ガ", "\"", "\\", "true",
      "👩‍👩‍👧",
    ]
    return (0..<pick([0, 1, 1, 1, 2, 3, 4])).map { _ in pick(letters) }.joined()
  }

  mutating func pattern() -> String {
    let parts = ["a", "A", "*", "?", "é", "e", "\\*", "ß", "s", "Σ", "д", "\\", "1"]
    return (0..<int(0...4)).map { _ in pick(parts) }.joined()
  }

  mutating func regex() -> String {
    let parts = ["a", "[aA]", ".", ".*", "e", "(a|b)?", "é", "\\d+", "x*"]
    return (0..<int(0...3)).map { _ in pick(parts) }.joined()
  }

  private mutating func json(depth: Int) -> String {
    switch int(0...(depth > 0 ? 8 : 5)) {
    case 0: return "null"
    case 1: return pick(["true", "false"])
    case 2: return pick(["1", "0", "-7", "9007199254740993"])
    case 3: return pick(["1.5", "0.1", "1e300"])
    case 4, 5: return pick(["\"a\"", "\"\"", "\"é\"", "\"1\"", "\"2001-01-01T00:00:00Z\""])
    case 6: return "[" + json(depth: 0) + "]"
    default:
      let members = ["k", "m", "a"].filter { _ in chance(2, in: 3) }
      return "{" + members.map { "\"\($0)\":" + json(depth: depth - 1) }.joined(separator: ",")
        + "}"
    }
  }
}
