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
}

@Model private final class Unlisted {
  var name = ""

  init() {}
}
