import Foundation
import Testing

@testable import SwiftData

@Suite struct `Cells of attributes` {
  private enum Grade: String, Codable { case low, high }
  private struct Wide: Codable, Equatable { var a = 1, b = 2, c = 3 }

  /// Checks that a value comes back as it is, in both ways to make a cell of it.
  private func check<Content: Equatable>(_ value: Content) {
    for cell in [AttributeCell(value), AttributeCell(any: value)] {
      #expect(cell.isExactly(Content.self))
      #expect(cell.content(Content.self) == value)
      #expect(type(of: cell.any) == Content.self)
      #expect(cell.any as? Content == value)
      #expect(!cell.isExactly(UInt8.self))
    }
  }

  @Test func `values come back in their own types`() {
    check(true)
    check(-1.5)
    check(Int.min)
    check("")
    check("a text of more than fifteen bytes")
    check(String?.none)
    check(String?.some("text"))
    check(Int?.none)
    check(Int?.some(.max))
    check(Date(timeIntervalSinceReferenceDate: 0.1))
    check(UUID())
    check(UUID?.none)
    check(Grade.high)
    check(Decimal(string: "1.25"))
    check(Data([1, 2]))
    check(["a", "b"])
    check(SIMD2<Double>(1, 2))
    check(Wide())
  }

  @Test func `a value is cast to another type, or refused`() throws {
    #expect(try AttributeCell("text").cast(to: String?.self) == "text")
    #expect(try AttributeCell(String?.some("text")).cast(to: String.self) == "text")
    #expect(throws: SwiftDataError.self) { try AttributeCell(1).cast(to: String.self) }
    #expect(throws: SwiftDataError.self) { try AttributeCell(String?.none).cast(to: Int.self) }
  }
}
