import SwiftData
import Testing

@Suite struct `What errors say` {
  @Test func `their description in Foundation is the message`() throws {
    let context = try ContextFixture().context
    do {
      _ = try context.fetch(FetchDescriptor<Unlisted>())
      Issue.record("The class isn't in the container.")
    } catch {
      #expect(error.localizedDescription == "The container doesn't know Unlisted.")
      #expect(
        (error as? any LocalizedError)?.recoverySuggestion
          == "Name Unlisted among the models of the container."
      )
    }
  }

  /// Errors of saves and of bulk work that the service finds out.
  @Test func `they are in the words of objects, not of requests`() throws {
    let fixture = try ContextFixture()
    let context = fixture.context
    context.mergePolicy = .error
    context.insert(Gadget(name: "Bolt"))
    try context.save()
    func text(_ body: () throws -> Void) -> String {
      defer { context.rollback() }
      let error = #expect(throws: SwiftDataError.self) { try body() }
      return error?.description ?? ""
    }
    let texts = [
      text {
        context.insert(Gadget(name: "Bolt"))
        try context.save()
      },
      text {
        let other = fixture.other
        try #require(other.fetch(FetchDescriptor<Gadget>()).first).count = 8
        let own = try #require(context.fetch(FetchDescriptor<Gadget>()).first)
        own.count = 9
        try other.save()
        try context.save()
      },
      text {
        let wanted = #Predicate<Setlist> { (it: Setlist) in
          (it.name == "x" ? it.tunes : it.favourites).contains { $0.title == "a" }
        }
        try context.update(Setlist.self, where: wanted, set: [.set(\.name, to: "y")])
      },
    ]
    for text in texts {
      #expect(!text.isEmpty)
      for word in ["onConflict", "{", "\"skip", "/args", "schema", "request", "TERNARY", "$id"] {
        #expect(!text.contains(word), "\(text)")
      }
    }
    #expect(texts[0].contains("mergePolicy"))
  }

  @Test func `their advice helps where a changed object has another one's value`() throws {
    let context = try ContextFixture().context
    context.mergePolicy = .overwrite
    let (bolt, nut) = (Gadget(name: "Bolt"), Gadget(name: "Nut"))
    context.insert(bolt)
    context.insert(nut)
    try context.save()
    nut.name = "Bolt"
    let error = #expect(throws: SwiftDataError.self) { try context.save() }
    #expect(error?.hint?.hasPrefix("Set another value, or delete the other object.") == true)
    context.delete(bolt)
    try context.save()
    #expect(try context.fetch(FetchDescriptor<Gadget>()).map(\.name) == ["Bolt"])
  }
}

@Model private final class Unlisted {
  var name = ""

  init() {}
}
