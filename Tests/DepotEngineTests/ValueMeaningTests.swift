import DepotProtocol
import Foundation
import Testing

@testable import DepotEngine

/// What the functions that SQL and memory share give, held against known answers.
@Suite struct ValueMeaningTests {
  static let results: [(QueryExpression.Arithmetic, Value, Value, Value?)] = [
    (.modulo, .int64(.min), .int64(-1), .int64(0)), (.modulo, .int64(-7), .int64(3), .int64(-1)),
    (.modulo, .int64(7), .int64(0), nil), (.divide, .int64(.min), .int64(-1), nil),
    (.power, .int64(2), .int64(62), .int64(1 << 62)), (.power, .int64(2), .int64(63), nil),
    (.power, .int64(-2), .int64(63), .int64(.min)), (.power, .int64(2), .int64(-1), nil),
    (.modulo, .double(5.5), .double(2), .double(1.5)), (.divide, .double(1), .double(0), nil),
    (.modulo, decimal("7.5"), decimal("-2"), decimal("1.5")),
    (.modulo, decimal("-7.5"), decimal("0.4"), decimal("-0.3")),
    (.modulo, decimal("1e30"), decimal("7"), decimal("1")),
    (.modulo, decimal("1"), decimal("1e100"), decimal("1")),
    (.power, decimal("1.5"), decimal("2"), decimal("2.25")),
    (.power, decimal("2"), decimal("0.5"), nil), (.add, .int64(1), decimal("0.5"), decimal("1.5")),
  ]

  @Test(arguments: results)
  func `arithmetic has a result or none`(
    operation: QueryExpression.Arithmetic,
    left: Value,
    right: Value,
    result: Value?
  ) {
    #expect(ValueArithmetic.combine(operation, left, right) == result)
  }

  @Test func `a decimal of 39 digits is kept exactly`() throws {
    let value = Decimal(7) / Decimal(3)
    let bytes = DecimalKey.encode(value)
    #expect(bytes.withUnsafeBufferPointer(DecimalKey.decode) == value)
  }

  @Test func `the remainder of decimals is that of whole numbers`() {
    var random = ValueGenerator(seed: 7)
    for _ in 0..<2000 {
      let left = Int64.random(in: -1_000_000_000...1_000_000_000, using: &random)
      let right = Int64.random(in: 1...100_000, using: &random)
      let shift = random.int(0...6)
      let scale = Decimal(sign: .plus, exponent: -shift, significand: 1)
      let rest = ValueArithmetic.combine(
        .modulo,
        .decimal(Decimal(left) * scale),
        .decimal(Decimal(right) * scale)
      )
      #expect(rest == .decimal(Decimal(left % right) * scale))
    }
  }

  @Test(arguments: 0..<20 as Range<UInt64>)
  func `an exact sum is the same in every order and rounds once`(seed: UInt64) {
    var random = ValueGenerator(seed: seed)
    var values: [Double] = []
    for _ in 0..<100 {
      let value = Double.random(in: -1...1, using: &random)
      values.append(Double(sign: .plus, exponent: random.int(-1040...900), significand: value))
    }
    func sum(_ values: [Double]) -> Double {
      var sum = ExactSum()
      for value in values { sum.add(value) }
      return sum.value
    }
    #expect(sum(values) == sum(values.shuffled(using: &random)))
    // Whatever is added and taken away again leaves the rest.
    #expect(sum(values + [0x1p-1074] + values.map { -$0 }) == 0x1p-1074)
    let two = [values[0], values[1]]
    #expect(sum(two) == two[0] + two[1])
  }

  @Test func `an exact sum overflows only at its end`() {
    var sum = ExactSum()
    for value in [Double.greatestFiniteMagnitude, .greatestFiniteMagnitude] { sum.add(value) }
    #expect(sum.value == .infinity)
    sum.add(-.greatestFiniteMagnitude)
    #expect(sum.value == .greatestFiniteMagnitude)
    sum.add(.infinity)
    sum.add(-.infinity)
    #expect(sum.value.isNaN)
  }

  @Test(arguments: [
    ("file9", "file10"), ("a", "B"), ("é", "f"), ("1", "01"), ("", "a"), ("a", "a\0"),
    ("a1", "a1b"),
    ("\u{FF21}1", "a2"), ("2", "10"), ("x007", "x8"),
  ])
  func `people's order is by letters and numbers`(less: String, greater: String) {
    let (left, right) = (Self.key(less), Self.key(greater))
    #expect(left.lexicographicallyPrecedes(right))
    #expect(!right.lexicographicallyPrecedes(left))
  }

  @Test func `people's order has equals only if the folded texts are equal`() {
    var random = ValueGenerator(seed: 3)
    let localized = QueryExpression.TextOptions.localized.effective
    let texts = (0..<300).map { _ in random.text() }
    for left in texts {
      for right in texts {
        let isSame =
          Array(TextFolding.fold(left, localized).utf8)
          == Array(TextFolding.fold(right, localized).utf8)
        #expect((Self.key(left) == Self.key(right)) == isSame)
      }
    }
  }

  static let casts: [(Value, AttributeType, Value?)] = [
    (.string("12"), .int64, .int64(12)), (.string("1.5"), .int64, nil),
    (.string("0x10"), .double, nil), (.string("1e3"), .double, .double(1000)),
    (.double(-2.9), .int64, .int64(-2)), (.double(0x1p63), .int64, nil),
    (.double(-0x1p63), .int64, .int64(.min)), (.double(.nan), .bool, nil),
    (decimal("-0.5"), .int64, .int64(0)), (.bool(true), .int64, .int64(1)),
    (.string("true"), .bool, .bool(true)), (.string("yes"), .bool, nil),
    (.date(Date(timeIntervalSinceReferenceDate: 1.5)), .double, .double(1.5)),
    (.string("2001-01-01T00:00:01Z"), .date, .date(Date(timeIntervalSinceReferenceDate: 1))),
    (.json("\"5\""), .int64, .int64(5)), (.json("{}"), .string, nil),
  ]

  @Test(arguments: casts)
  func `a value becomes another type or none`(value: Value, type: AttributeType, result: Value?) {
    #expect(value.cast(to: type) == result)
  }

  @Test func `decimals are rounded like doubles`() {
    for text in ["2.5", "-2.5", "0.4", "-0.6", "7", "1e20", "0.00000000001", "-0.5"] {
      let value = Double(text) ?? 0
      for (function, expected) in [
        (QueryExpression.Function.floor, value.rounded(.down)), (.ceiling, value.rounded(.up)),
        (.trunc, value.rounded(.towardZero)), (.round, value.rounded()),
      ] {
        let result = function.value([Self.decimal(text)])
        #expect(result == .decimal(Decimal(expected)), "\(function) \(text)")
      }
    }
  }

  private static func key(_ text: String) -> [UInt8] {
    Array(text.utf8).withUnsafeBufferPointer(LocalizedKey.make)
  }

  static func decimal(_ text: String) -> Value { .decimal(Decimal(string: text) ?? .nan) }
}
