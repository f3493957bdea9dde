import TestSupport
import Testing

@testable import SwiftData

/// That two contexts that change, insert, delete, and undo the same objects, each merging what the other
/// saves, end with what is stored, in whatever order things happen.
@Suite struct `Merging whatever others save` {
  private static let plays: [MergePlay] = [
    [], .deletions, .undo, .policies, .jackets, [.deletions, .policies], [.deletions, .undo],
    [.deletions, .jackets], .all,
  ]

  @Test(arguments: plays, seeds(10))
  func `contexts come to what is stored`(_ play: MergePlay, _ seed: Int) async throws {
    var random = SeededGenerator(seed: UInt64(play.rawValue * 1000 + seed))
    let container = try ModelContainer(storing: Rack.self, Tome.self, Label.self, Jacket.self)
    let first = ModelContext(container)
    for name in ["a", "b", "c"] {
      first.insert(Rack(name: name))
      first.insert(Label(name: name))
      first.insert(Jacket(name: name))
    }
    for title in ["A", "B", "C", "D"] { first.insert(Tome(title: title)) }
    try first.save()
    let policies: [MergePolicy] = [
      .error, .mergeByPropertyStoreTrump, .mergeByPropertyObjectTrump, .overwrite, .rollback,
    ]
    let sessions = try (0..<2).map { _ in
      try MergeSession(container, play, policies.randomElement(using: &random) ?? .error)
    }
    for number in 0..<60 {
      let session = sessions[Int.random(in: 0..<2, using: &random)]
      try session.step(number, &random)
    }
    for session in sessions { session.save() }
    let stored = try MergeSession.stored(in: container)
    for session in sessions {
      try await expectSoon {
        session.context.processPendingChanges()
        return session.known().allSatisfy { stored[$0] == $1 }
      }
      #expect(session.known().filter { stored[$0] != $1 }.isEmpty)
      #expect(!session.context.hasChanges)
    }
  }
}
