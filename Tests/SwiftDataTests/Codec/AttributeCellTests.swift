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

  @Test func `a fetched object has the values of its row, and no changes`() throws {
    let container = try ModelContainer(storing: Preset.self)
    let context = ModelContext(container)
    let preset = Preset()
    preset.title = "stored"
    preset.note = "kept"
    preset.count = 7
    context.insert(preset)
    try context.save()
    let other = ModelContext(container)
    let fetched = try #require(try other.fetch(FetchDescriptor<Preset>()).first)
    #expect(!fetched.hasChanges)
    #expect(!other.hasChanges)
    #expect([fetched.title, fetched.note] == ["stored", "kept"])
    #expect(fetched.count == 7)
    fetched.note = nil
    fetched.count += 1
    try other.save()
    #expect(try ModelContext(container).fetch(FetchDescriptor<Preset>()).first?.note == nil)
    #expect(try ModelContext(container).fetch(FetchDescriptor<Preset>()).first?.count == 8)
  }
}

/// An object whose initializer over values sets defaults first.
@Model final class Preset {
  var title = "new"
  var note: String?
  var count = 1
  @Transient var companion: Memo? = Memo()

  init() {}
}

/// An object that is made while another one is.
@Model final class Memo {
  var text = "memo"

  init() {}
}
