import Testing

@testable import SwiftData

/// Fetches whose range is odd.
@Suite struct `The range of a fetch` {
  @Test(arguments: [true, false])
  func `may be as far as there are numbers`(isPending: Bool) throws {
    let fixture = try ContextFixture()
    for name in ["a", "b", "c"] { fixture.context.insert(Gadget(name: name)) }
    if !isPending { try fixture.context.save() }
    var descriptor = FetchDescriptor<Gadget>(sortBy: [SortDescriptor(\.name)])
    descriptor.fetchLimit = .max
    descriptor.fetchOffset = 1
    #expect(try fixture.context.fetch(descriptor).map(\.name) == ["b", "c"])
    #expect(try fixture.context.fetchCount(descriptor) == 2)
  }

  @Test(arguments: [true, false])
  func `can't begin before the first`(isPending: Bool) throws {
    let fixture = try ContextFixture()
    let context = fixture.context
    context.insert(Gadget(name: "a"))
    if !isPending { try context.save() }
    var descriptor = FetchDescriptor<Gadget>()
    descriptor.fetchOffset = -1
    #expect(throws: SwiftDataError.storeFailure) { try context.fetch(descriptor) }
    #expect(throws: SwiftDataError.storeFailure) { try context.fetchCount(descriptor) }
    descriptor.fetchOffset = nil
    descriptor.fetchLimit = -1
    #expect(throws: SwiftDataError.storeFailure) { try context.fetch(descriptor) }
    #expect(throws: SwiftDataError.storeFailure) { try context.fetchCount(descriptor) }
  }
}
