import Testing

@testable import SwiftData

/// That two contexts that change and insert the same objects, each merging what the other saves, end with
/// what is stored, in whatever order things happen.
@Suite struct `Merging whatever others save` {
  @Test(arguments: 0..<16) func `contexts come to what is stored`(_ seed: Int) async throws {
    for round in 0..<5 {
      var random = SeededGenerator(seed: UInt64(seed * 100 + round))
      let container = try ModelContainer(
        for: Rack.self,
        Tome.self,
        Label.self,
        configurations: ModelConfiguration(isStoredInMemoryOnly: true)
      )
      let first = ModelContext(container)
      for name in ["a", "b", "c"] {
        first.insert(Rack(name: name))
        first.insert(Label(name: name))
      }
      for title in ["A", "B", "C", "D"] { first.insert(Tome(title: title)) }
      try first.save()
      let sessions = try (0..<2).map { _ in try MergeSession(container) }
      for number in 0..<40 {
        let session = sessions[Int.random(in: 0..<2, using: &random)]
        try session.step(number, &random)
      }
      for session in sessions { session.save() }
      let stored = try MergeSession.stored(in: container)
      for session in sessions {
        try await until(.seconds(20)) {
          session.context.processPendingChanges()
          return session.known().allSatisfy { stored[$0] == $1 }
        }
        #expect(session.known().filter { stored[$0] != $1 }.isEmpty)
        #expect(!session.context.hasChanges)
      }
    }
  }
}
