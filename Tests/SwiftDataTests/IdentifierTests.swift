import Testing

@testable import SwiftData

@Suite struct `Identifiers` {
  @Test func `an identifier that was encoded and decoded is equal`() throws {
    let key = EntityKey.of(store: "S", entity: "BusinessTrip", root: "Trip")
    let identifier = PersistentIdentifier(key, .row(42))
    let decoded = try JSONDecoder().decode(
      PersistentIdentifier.self,
      from: JSONEncoder().encode(identifier)
    )
    #expect(decoded == identifier)
    #expect(decoded.hashValue == identifier.hashValue)
    #expect(decoded.id == identifier.id)
    #expect("\(decoded)" == "x-depot://S/BusinessTrip/p42")
  }

  @Test func `an identifier is the same under the names of the entity and its parent`() {
    let sub = EntityKey.of(store: "S", entity: "BusinessTrip", root: "Trip")
    let top = EntityKey.of(store: "S", entity: "Trip", root: "Trip")
    #expect(PersistentIdentifier(sub, .row(1)) == PersistentIdentifier(top, .row(1)))
    #expect(PersistentIdentifier(sub, .row(1)) != PersistentIdentifier(top, .row(2)))
  }

  @Test func `a context forgets the large values of objects that have ended`() {
    let key = EntityKey.of(store: "S", entity: "Trip", root: "Trip")
    var large = LargeProperties()
    let kept = PersistentIdentifier(key, .row(1))
    for number in 1...10_000 {
      let identifier = PersistentIdentifier(key, .row(Int64(number)))
      large.insert(3, of: identifier) { $0 == kept }
      #expect(large.contains(3, of: identifier))
    }
    #expect(large.count < 100)
    #expect(large.contains(3, of: kept))
    #expect(!large.contains(2, of: kept))
  }
}
