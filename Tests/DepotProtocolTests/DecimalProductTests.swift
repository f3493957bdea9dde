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
}
