import Testing

@testable import SwiftData

extension Ship {
  fileprivate var havenName: String { haven?.name ?? "" }
}

@Suite struct `Results of a computed property` {
  @Test func `follow what the property reads of other objects`() throws {
    let fixture = try ContextFixture()
    let context = fixture.context
    let haven = Haven(name: "Oslo")
    context.insert(Ship(name: "Ida", haven: haven))
    try context.save()
    let results = try ResultsObserver<Ship, Never>(
      filterBy: #Predicate { $0.havenName == "Rome" },
      modelContext: context,
      isolation: nil
    )
    #expect(results.results.isEmpty)
    haven.name = "Rome"
    context.processPendingChanges()
    #expect(results.results.map(\.name) == ["Ida"])
    haven.name = "Bergen"
    try context.save()
    #expect(results.results.isEmpty)
  }
}
