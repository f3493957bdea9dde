import DepotProtocol
import Foundation

/// Random rows and predicates, the same for the same seed.
struct QueryGenerator: RandomNumberGenerator {
  private var state: UInt64

  init(seed: UInt64) {
    state = seed
  }

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var mixed = (state ^ state >> 30) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ mixed >> 27) &* 0x94D0_49BB_1331_11EB
    return mixed ^ mixed >> 31
  }

  /// An entity with an optional attribute of each type, every second one indexed.
  static let entity = Entity(
    name: "Thing",
    attributes: AttributeType.scalars.enumerated().map { index, type in
      Attribute(name: type.rawValue, type: type, isOptional: true, isIndexed: index % 2 == 0)
    }
  )

  mutating func row() -> [Value] { AttributeType.scalars.map { value($0) } }

  mutating func value(_ type: AttributeType, nullable: Bool = true) -> Value {
    if nullable, Int.random(in: 0..<5, using: &self) == 0 { return .null }
    switch type {
    case .string: return .string(text())
    case .int64: return .int64(pick([0, 1, -1, 2, 3, 7, .max, .min, 1 << 53 + 1]))
    case .double:
      return .double(pick([0, -0.0, 1, 0.1, -2.5, .nan, .infinity, -.infinity, 0x1p53]))
    case .bool: return .bool(Bool.random(using: &self))
    case .date: return .date(Date(timeIntervalSinceReferenceDate: pick([0, 0.5, -1e9, .nan, 7e8])))
    case .uuid:
      return .uuid(UUID(uuidString: pick(Self.uuids)) ?? UUID())
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

  private mutating func text() -> String {
    let letters = [
      "a", "A", "b", "é", "e\u{301}", "É", "e", "ß", "SS", "ς", "Σ", "\u{10FFFF}", "\0", "*", "ı",
      "д",
      "Д", "İ",
    ]
    return (0..<Int.random(in: 0...4, using: &self)).map { _ in pick(letters) }.joined()
  }

  private mutating func pattern() -> String {
    let parts = ["a", "A", "*", "?", "é", "e", "\\*", "ß", "s", "Σ", "д", "\\"]
    return (0..<Int.random(in: 0...4, using: &self)).map { _ in pick(parts) }.joined()
  }

  private mutating func pick<Element>(_ elements: [Element]) -> Element {
    elements[Int.random(in: 0..<elements.count, using: &self)]
  }

  mutating func predicate(depth: Int = 3) -> QueryExpression {
    switch Int.random(in: 0..<(depth > 0 ? 10 : 7), using: &self) {
    case 0, 1:
      let (left, right) = operands()
      return .comparison(pick(QueryExpression.Comparison.allCases), left, right)
    case 2:
      return .comparison(
        pick(QueryExpression.Comparison.allCases),
        textOperand(),
        textOperand(),
        options: options()
      )
    case 3:
      let (value, low) = operands()
      return .between(value, low, low)
    case 4:
      let type = pick(AttributeType.scalars)
      let list = (0..<Int.random(in: 0...4, using: &self)).map { _ in
        QueryExpression.value(value(type))
      }
      return .in(.attribute(type.rawValue), list)
    case 5:
      return .text(
        pick([.contains, .begins, .ends, .like]),
        .attribute(pick(["string", "url"])),
        Bool.random(using: &self) ? .value(.string(pattern())) : textOperand(),
        options: options()
      )
    case 6: return .attribute("bool")
    case 7: return .not(predicate(depth: depth - 1))
    case 8: return .and([predicate(depth: depth - 1), predicate(depth: depth - 1)])
    default: return .or([predicate(depth: depth - 1), predicate(depth: depth - 1)])
    }
  }

  private mutating func options() -> QueryExpression.TextOptions {
    QueryExpression.TextOptions(rawValue: Int.random(in: 0...3, using: &self))
  }

  private mutating func textOperand() -> QueryExpression {
    Int.random(in: 0...2, using: &self) == 0 ? .attribute("string") : .value(.string(text()))
  }

  /// Two parts of predicates that can be compared.
  private mutating func operands() -> (QueryExpression, QueryExpression) {
    if Bool.random(using: &self) {
      return (number(depth: 2), number(depth: 2))
    }
    let type = pick(AttributeType.scalars)
    let other = Bool.random(using: &self)
    return (.attribute(type.rawValue), other ? .attribute(type.rawValue) : .value(value(type)))
  }

  private mutating func number(depth: Int) -> QueryExpression {
    switch Int.random(in: 0..<(depth > 0 ? 6 : 4), using: &self) {
    case 0: return .attribute(pick(["int64", "$id", "int64"]))
    case 1: return .attribute("double")
    case 2: return .attribute("decimal")
    case 3: return .value(value(.int64))
    case 4: return .negate(.attribute(pick(["int64", "double", "decimal"])))
    default:
      // Decimals are combined with whole numbers only, for a double has no exact decimal.
      let name = pick(["int64", "double", "decimal"])
      return .arithmetic(
        pick([QueryExpression.Arithmetic.add, .subtract, .multiply, .divide]),
        .attribute(name),
        Bool.random(using: &self) ? .attribute("int64") : .value(.int64(pick([0, 2, 3, -7])))
      )
    }
  }
}
