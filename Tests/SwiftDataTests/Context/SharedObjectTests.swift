import Dispatch
import Observation
import TestSupport
import Testing

@testable import SwiftData

/// Objects that programs use where they don't belong, as old modes of the language let them.
@Suite(.serialized) struct `An object used outside of its context's actor` {
  /// An object on its way to somebody else, without the compiler's knowledge.
  fileprivate struct Smuggled: @unchecked Sendable {
    let song: Song
    var context: ModelContext? { song.modelContext }
  }

  /// A context on its way to another thread.
  fileprivate struct Handed: @unchecked Sendable { let context: ModelContext }

  @ModelActor fileprivate actor Counter {
    func add() throws -> Smuggled {
      let song = Song(title: "A")
      modelContext.insert(song)
      try modelContext.save()
      return Smuggled(song: song)
    }

    func increase(_ smuggled: Smuggled) { smuggled.song.seconds += 1 }
  }

  /// Whether the message of a process that ended tells the property, and what to do.
  private func expectMessage(_ result: ExitTest.Result?, _ parts: String...) throws {
    let told = String(decoding: try #require(result).standardErrorContent, as: UTF8.self)
    for part in parts + ["Song.seconds of ", "persistentModelID", "model(for:)"] {
      #expect(told.contains(part), "\(told.prefix(2000))")
    }
  }

  @Test func `names the mistake where another model actor uses it`() async throws {
    let result = await #expect(
      processExitsWith: .failure,
      observing: [\.standardErrorContent]
    ) {
      let container = try trackContainer()
      let owner = Counter(modelContainer: container)
      let song = try await owner.add()
      await Counter(modelContainer: container).increase(song)
      withExtendedLifetime(owner) {}
    }
    try expectMessage(result, "another actor")
  }

  @Test func `names the mistake where the main actor uses a model actor's object`() async throws {
    let result = await #expect(
      processExitsWith: .failure,
      observing: [\.standardErrorContent]
    ) {
      let counter = Counter(modelContainer: try trackContainer())
      let song = try await counter.add()
      await MainActor.run { song.song.seconds += 1 }
      withExtendedLifetime(counter) {}
    }
    try expectMessage(result, "another actor")
  }

  @Test func `names the mistake where a model actor uses the main actor's object`() async throws {
    let result = await #expect(
      processExitsWith: .failure,
      observing: [\.standardErrorContent]
    ) {
      let container = try trackContainer()
      let song = await MainActor.run {
        let song = Song(title: "A")
        container.mainContext.insert(song)
        return Smuggled(song: song)
      }
      await Counter(modelContainer: container).increase(song)
    }
    try expectMessage(result, "another actor")
  }

  @Test func `ends the program rather than damage memory where two threads use it at once`()
    async throws
  {
    let result = await #expect(
      processExitsWith: .failure,
      observing: [\.standardErrorContent]
    ) {
      let context = ModelContext(try trackContainer())
      let song = Song(title: "A")
      context.insert(song)
      try context.save()
      let smuggled = Smuggled(song: song)
      await untilTheEnd {
        smuggled.song.seconds += 1
      } beside: {
        smuggled.song.seconds += 1
      }
    }
    try expectMessage(result, "another thread")
  }

  @Test func `ends the program where a context is used beside its objects`() async throws {
    let result = await #expect(
      processExitsWith: .failure,
      observing: [\.standardErrorContent]
    ) {
      let context = ModelContext(try trackContainer())
      let song = Song(title: "A")
      context.insert(song)
      try context.save()
      let smuggled = Smuggled(song: song)
      await untilTheEnd {
        smuggled.song.seconds += 1
      } beside: {
        try? smuggled.context?.save()
        smuggled.context?.rollback()
      }
    }
    let told = String(decoding: try #require(result).standardErrorContent, as: UTF8.self)
    #expect(told.contains("is used while another thread uses the same context"))
  }

  /// A call that changes many objects of a context at once.
  fileprivate enum Call: String, CaseIterable, Codable {
    case update, delete, insert, reset, refresh, enumerate

    func perform(on context: ModelContext) {
      switch self {
      case .update: _ = try? context.update(Song.self, set: \.seconds, to: 1)
      case .delete: try? context.delete(model: Song.self, where: #Predicate { $0.title == "none" })
      case .insert: try? context.insert(model: Song.self, rows: 1) { $1[\.title] = "new" }
      case .reset: context.reset()
      case .refresh: context.refreshAllObjects()
      case .enumerate: try? context.enumerate(FetchDescriptor<Song>()) { _ in }
      }
    }
  }

  @Test(arguments: Call.allCases)
  fileprivate func `ends the program where many are changed beside it`(_ call: Call) async throws {
    let result = await #expect(
      processExitsWith: .failure,
      observing: [\.standardErrorContent]
    ) { [call] in
      let context = ModelContext(try trackContainer())
      let song = Song(title: "A")
      context.insert(song)
      try context.save()
      let (identifier, handed) = (song.persistentModelID, Handed(context: context))
      await untilTheEnd {
        let _: Song? = handed.context.registeredModel(for: identifier)
      } beside: {
        call.perform(on: handed.context)
      }
    }
    let told = String(decoding: try #require(result).standardErrorContent, as: UTF8.self)
    let message = "is used while another thread uses the same context"
    #expect(told.contains(message), "\(told.prefix(2000))")
  }

  @Test func `without a context, ends whole whichever threads have changed it`() async {
    await #expect(processExitsWith: .success) {
      let smuggled = Smuggled(song: Song(title: "A"))
      DispatchQueue.concurrentPerform(iterations: 4) { number in
        let title = String(repeating: "\(number)", count: 100)
        for _ in 0..<200_000 {
          smuggled.song.title = title + smuggled.song.title.prefix(1)
          smuggled.song.seconds += 1
        }
      }
      precondition(smuggled.song.title.count == 101)
    }
  }

  @Test func `may be handed from thread to thread with its context`() async throws {
    let container = try trackContainer()
    let context = ModelContext(container)
    let song = Song(title: "A")
    context.insert(song)
    let smuggled = Smuggled(song: song)
    for _ in 0..<100 {
      try await onThread {
        smuggled.song.seconds += 1
        try smuggled.context?.save()
      }
    }
    #expect(song.seconds == 100)
    #expect(try context.fetch(FetchDescriptor<Song>()).map(\.seconds) == [100])
  }

  /// Does something on another thread and waits for it.
  private static func elsewhere(_ body: @escaping @Sendable () -> Void) {
    let done = DispatchSemaphore(value: 0)
    DispatchQueue(label: "elsewhere").async {
      body()
      done.signal()
    }
    done.wait()
  }

  @Test func `may be used elsewhere while code of the program waits for that`() async throws {
    let context = ModelContext(try trackContainer())
    let song = Song(title: "A", seconds: 3)
    context.insert(song)
    try context.save()
    let smuggled = Smuggled(song: song)
    try await onThread {
      // An observer.
      withObservationTracking {
        _ = smuggled.song.seconds
      } onChange: {
        Self.elsewhere { #expect(smuggled.song.seconds == 3) }
      }
      smuggled.song.seconds = 4
      // A handler of a notification.
      let token = NotificationCenter.default.addObserver(
        forName: ModelContext.didSave,
        object: smuggled.context,
        queue: nil
      ) { _ in
        Self.elsewhere { #expect(smuggled.song.seconds >= 4) }
      }
      defer { NotificationCenter.default.removeObserver(token) }
      try smuggled.context?.save()
      // A transaction.
      try smuggled.context?.transaction { Self.elsewhere { smuggled.song.seconds = 5 } }
    }
    #expect(song.seconds == 5)
  }

  @Test func `is the initializer's before the actor's first job, and the closure's on its queue`()
    async throws
  {
    let container = try trackContainer()
    let executor = await MainActor.run {
      let executor = DefaultSerialModelExecutor(modelContext: ModelContext(container))
      let song = Song(title: "made on the main actor")
      executor.modelContext.insert(song)
      song.seconds += 1
      return executor
    }
    #expect(executor.modelContext.hasChanges)
    let background = container.newBackgroundContext()
    try await MainActor.run {
      let mine = Song(title: "mine")
      container.mainContext.insert(mine)
      try background.performAndWait { context in
        let song = Song(title: "theirs")
        context.insert(song)
        song.seconds += 1
        try context.save()
      }
      mine.seconds += 1
    }
  }
}

/// Does two things again and again, each on a thread of its own, until the program has ended.
///
/// A number of rounds may have passed on one thread before the other one begins.
private func untilTheEnd(
  do first: @escaping @Sendable () -> Void,
  beside second: @escaping @Sendable () -> Void
) async -> Never {
  for body in [first, second] {
    Thread.detachNewThread { while true { body() } }
  }
  while true { try? await Task.sleep(for: .seconds(3600)) }
}
