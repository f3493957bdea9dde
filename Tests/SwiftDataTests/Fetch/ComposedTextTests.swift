import Foundation
import SwiftData
import Testing

/// Letters with marks, as one code point and as several.
@Suite struct ComposedTextTests {
  private static let composed = "Fr\u{fc}h"
  private static let decomposed = "Fru\u{308}h"

  @Test func `texts come back as they were, and are told apart unless marks are left out`() throws {
    let container = try ModelContainer(storing: Voyage.self, Skipper.self, Halt.self)
    let context = ModelContext(container)
    for name in [Self.composed, Self.decomposed] { context.insert(Voyage(name: name)) }
    // What isn't saved, and the same when it is.
    for _ in 0..<2 {
      let wanted = Self.composed
      let equal = try context.fetch(
        FetchDescriptor<Voyage>(predicate: #Predicate { $0.name == wanted })
      )
      #expect(equal.map { Array($0.name.utf8) } == [Array(wanted.utf8)])
      let part = #Predicate<Voyage> { $0.name.contains("r\u{fc}") }
      #expect(try context.fetchCount(FetchDescriptor(predicate: part)) == 1)
      let same = #Predicate<Voyage> { $0.name.localizedStandardContains("R\u{fc}H") }
      #expect(try context.fetchCount(FetchDescriptor(predicate: same)) == 2)
      try context.save()
    }
  }

  @Test func `unique texts are different ones, saved at once or one after the other`() throws {
    let container = try ModelContainer(storing: Gadget.self)
    for isTogether in [true, false] {
      let context = ModelContext(container)
      for name in [Self.composed, Self.decomposed] {
        context.insert(Gadget(name: name, count: isTogether ? 1 : 2))
        if !isTogether { try context.save() }
      }
      try context.save()
      let found = try ModelContext(container).fetch(FetchDescriptor<Gadget>())
      #expect(found.count == 2)
      #expect(Set(found.map { Array($0.name.utf8) }).count == 2)
      #expect(found.allSatisfy { $0.count == (isTogether ? 1 : 2) })
    }
  }

  @Test func `a text that is changed to its other form is stored in that`() throws {
    let container = try ModelContainer(storing: Gadget.self)
    let context = ModelContext(container)
    let gadget = Gadget(name: Self.composed)
    context.insert(gadget)
    try context.save()
    gadget.name = Self.decomposed
    try context.save()
    let found = try ModelContext(container).fetch(FetchDescriptor<Gadget>())
    #expect(found.map { Array($0.name.utf8) } == [Array(Self.decomposed.utf8)])
  }
}
