import DepotProtocol
import Foundation
import TestSupport
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
    (.multiply, .double(1e308), .double(10), nil), (.add, .double(-1.7e308), .double(-1e308), nil),
    (.power, .double(-1), .double(0.5), nil), (.power, .double(0), .double(-1), nil),
    (.power, .double(10), .double(400), nil), (.divide, .double(1e308), .double(1e-10), nil),
    (.divide, .double(1e-308), .double(1e300), .double(0)),
    (.divide, .double(.infinity), .int64(0), nil),
    (.multiply, .double(.infinity), .double(-2), .double(-.infinity)),
    (.power, .double(.infinity), .int64(2), .double(.infinity)),
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

  @Test func `of what isn't finite the result is that of IEEE 754`() throws {
    for operation in [QueryExpression.Arithmetic.subtract, .divide] {
      let result = ValueArithmetic.combine(operation, .double(.infinity), .double(.infinity))
      #expect(result?.isNaN == true, "\(operation)")
    }
    #expect(ValueArithmetic.combine(.add, .double(.nan), .int64(1))?.isNaN == true)
    #expect(QueryExpression.Function.sqrt.value([.double(-.infinity)]).isNaN)
  }

  static let functions: [(QueryExpression.Function, Value, Value)] = [
    (.sqrt, .double(4), .double(2)), (.sqrt, .double(-1), .null), (.sqrt, .int64(-4), .null),
    (.sqrt, .double(-0.0), .double(-0.0)), (.exp, .double(1000), .null),
    (.exp, decimal("1000"), .null), (.exp, .double(-1000), .double(0)), (.ln, .double(0), .null),
    (.ln, .int64(-1), .null), (.log, .int64(0), .null), (.log, decimal("-0.5"), .null),
    (.log, .int64(1000), .double(3)), (.exp, .double(.infinity), .double(.infinity)),
    (.exp, .double(-.infinity), .double(0)), (.ln, .double(.infinity), .double(.infinity)),
  ]

  @Test(arguments: functions)
  func `a function of a number has a result or none`(
    function: QueryExpression.Function,
    argument: Value,
    result: Value
  ) {
    #expect(function.value([argument]) == result)
  }

  static let aggregates: [(QueryExpression.Aggregate, [Double], Value)] = [
    (.sum, [1.7e308, 1.7e308], .null), (.sum, [1.7e308, 1.7e308, -1.7e308], .double(1.7e308)),
    (.sum, [.infinity, 1], .double(.infinity)), (.average, [1.7e308, 1.7e308], .double(1.7e308)),
    (.average, [-1.7e308, -1.7e308, -1.7e308, -1.7e308], .double(-1.7e308)),
    (.average, [1, -.infinity], .double(-.infinity)),
    (.median, [1.7e308, 1.7e308], .double(1.7e308)),
    (.stddev, [1.5e308, -1.5e308], .double(1.5e308)), (.stddev, [3e-200, 1e-200], .double(1e-200)),
    (.stddev, [5, 5, 5], .double(0)), (.stddev, [0, 0], .double(0)), (.stddev, [1, 3], .double(1)),
  ]

  @Test(arguments: aggregates)
  func `only a sum may be too great`(
    aggregate: QueryExpression.Aggregate,
    numbers: [Double],
    result: Value
  ) {
    var aggregation = ValueAggregation(aggregate, of: .double)
    for number in numbers { aggregation.add(.double(number)) }
    #expect(aggregation.result == result)
  }

  @Test(arguments: seeds(20))
  func `a deviation is the root of the mean square`(seed: UInt64) throws {
    var random = ValueGenerator(seed: seed)
    let count = random.int(1...40)
    let numbers = (0..<count).map { _ in Double.random(in: -1e6...1e6, using: &random) }
    var (sum, squares) = (ExactSum(), ExactSum())
    for number in numbers { sum.add(number) }
    let mean = try #require(sum.value) / Double(count)
    for number in numbers { squares.add((number - mean) * (number - mean)) }
    var aggregation = ValueAggregation(.stddev, of: .double)
    for number in numbers { aggregation.add(.double(number)) }
    let deviation = (try #require(squares.value) / Double(count)).squareRoot()
    #expect(aggregation.result == .double(deviation))
  }

  @Test func `the median of decimals is computed of decimals`() {
    var aggregation = ValueAggregation(.median, of: .decimal)
    for number in [2, 1, 30, -7] { aggregation.add(.decimal(Decimal(number) / 10)) }
    #expect(aggregation.result == .double(0.15))
    aggregation.add(.decimal(9))
    #expect(aggregation.result == .double(0.2))
    #expect(ValueAggregation(.median, of: .decimal).result == .null)
  }

  @Test(arguments: ["STRAẞE", "straße", "Strasse"])
  func `the capital ß is ss where case doesn't matter`(text: String) {
    #expect(TextFolding.fold(text, .caseInsensitive) == "strasse")
    #expect(TextFolding.fold(text, QueryExpression.TextOptions.localized.effective) == "strasse")
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
    func sum(_ values: [Double]) -> Double? {
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

  @Test func `an exact sum overflows only at its end`() throws {
    var sum = ExactSum()
    for value in [Double.greatestFiniteMagnitude, .greatestFiniteMagnitude] { sum.add(value) }
    #expect(sum.value == nil)
    #expect(sum.mean(of: 2) == .greatestFiniteMagnitude)
    sum.add(-.greatestFiniteMagnitude)
    #expect(sum.value == .greatestFiniteMagnitude)
    sum.add(.infinity)
    sum.add(-.infinity)
    #expect(try #require(sum.value).isNaN)
  }

  @Test(arguments: [
    ("file9", "file10"), ("a", "B"), ("é", "f"), ("1", "01"), ("", "a"), ("a", "a\0"),
    ("a1", "a1b"),
    ("\u{FF21}1", "a2"), ("2", "10"), ("x007", "x8"),
    ("_b", "1"), ("~b", "a"), ("— b", "1"), ("€b", "1"), ("😀b", "1"), ("❤️", "1"), ("1", "a"),
    (" b", "_b"), ("\u{a0}b", "_b"), ("«b", "+b"), ("→b", "$b"), ("9", "½"), ("½", "a"),
    ("z", "ø"), ("\0", " "), ("\t", " "), ("a-b", "ab"), ("a b", "a-b"), ("中", "\u{E000}"),
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
