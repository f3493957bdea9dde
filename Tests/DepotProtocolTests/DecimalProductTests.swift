import Foundation
import TestSupport
import Testing

@testable import DepotProtocol

@Suite struct DecimalProductTests {
  private func decimal(_ text: String) throws -> Decimal { try #require(Decimal(string: text)) }

  @Test(arguments: [
    ("1e-100", "1e-100", "0"), ("-1e-100", "1e-28", "-1e-128"), ("1e-100", "16e-29", "2e-128"),
    ("1e-100", "14e-29", "1e-128"), ("123456e-70", "1000e-61", "123456e-128"),
    ("12345678901234567890e-84", "12345678901234567890e-82", "2e-128"),
    ("1e-128", "1e-128", "0"), ("0", "1e-128", "0"), ("3", "-4", "-12"),
    ("1e-128", "5e127", "0.5"), ("99999999999999999999999999999999999999e-128", "1e-1", "1e-91"),
  ])
  func `a product that is too small is rounded`(left: String, right: String, product: String) throws
  {
    let result = DecimalParts.product(try decimal(left), try decimal(right))
    #expect(result == (try decimal(product)))
  }

  @Test func `a product that is too large is none`() throws {
    #expect(DecimalParts.product(try decimal("1e100"), try decimal("1e100")) == nil)
    #expect(DecimalParts.power(try decimal("1e100"), 2) == nil)
    #expect(DecimalParts.power(10, 1000) == nil)
  }

  @Test func `powers are products`() throws {
    #expect(DecimalParts.power(2, 100) == Decimal(string: "1267650600228229401496703205376"))
    #expect(DecimalParts.power(try decimal("1e-100"), 2) == 0)
    #expect(DecimalParts.power(try decimal("-0.1"), 3) == Decimal(string: "-0.001"))
    #expect(DecimalParts.power(7, 0) == 1)
    #expect(DecimalParts.power(try decimal("1e-128"), 1000) == 0)
  }

  @Test func `products that fit are Foundation's`() throws {
    var random = SeededGenerator(seed: 11)
    for _ in 0..<2000 {
      func number() -> Decimal {
        let exponent = Int.random(in: -60...20, using: &random)
        return Decimal(string: "\(Int64.random(in: .min ... .max, using: &random))e\(exponent)")
          ?? 0
      }
      let (left, right) = (number(), number())
      #expect(DecimalParts.product(left, right) == left * right)
    }
  }

  @Test(arguments: [
    ("1", "3", "0.33333333333333333333333333333333333333"),
    ("2", "3", "0.66666666666666666666666666666666666667"),
    ("1", "12345678901234567890123456789012345678", "8.1000000729000006633900060368490549359e-38"),
    ("1", "123456789012345678901234567890", "8.1000000729000006633900060368571549354e-30"),
    ("-7", "11", "-0.63636363636363636363636363636363636364"),
    ("99999999999999999999999999999999999999", "7", "14285714285714285714285714285714285714"),
    ("1", "128", "0.0078125"), ("10", "-5", "-2"), ("0", "7", "0"), ("6", "3e-2", "200"),
    ("1e-100", "3", "3333333333333333333333333333e-128"), ("1e-100", "4e100", "0"),
    ("7e-128", "10", "1e-128"), ("4e-128", "10", "0"), ("1e-120", "1e7", "1e-127"),
  ])
  func `a quotient has 38 digits, the last one rounded`(
    left: String,
    right: String,
    quotient: String
  ) throws {
    let result = DecimalParts.quotient(try decimal(left), try decimal(right))
    #expect(result == (try decimal(quotient)))
  }

  @Test func `there is no quotient by zero`() throws {
    #expect(DecimalParts.quotient(1, 0) == nil)
  }

  @Test func `a quotient times its divisor is the dividend`() throws {
    var random = SeededGenerator(seed: 12)
    for _ in 0..<2000 {
      let quotient = Decimal(Int64.random(in: .min ... .max, using: &random))
      let divisor = try decimal(
        "\(Int64.random(in: 1 ... .max, using: &random))e\(Int.random(in: -60...20, using: &random))"
      )
      let dividend = try #require(DecimalParts.product(quotient, divisor))
      #expect(DecimalParts.quotient(dividend, divisor) == quotient)
    }
  }
}
