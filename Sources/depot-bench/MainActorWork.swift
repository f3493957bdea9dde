import SwiftData

/// Measures how long the main actor has to wait while objects are fetched, in a process of its own.
enum MainActorWork {
  /// The work beside the heartbeats of the main actor, in the order of the figures.
  static let works = [
    "nothing else", "an actor that computes", "a fetch through an actor",
    "a fetch on the main context",
  ]

  /// Prints the longest gap between two heartbeats in milliseconds, for each of the works.
  ///
  /// Each work takes some tenths of a second.
  static func run(_ path: String, _ count: Int) -> Never {
    Task { @MainActor in
      do {
        let configuration = ModelConfiguration(url: URL(filePath: path))
        let container = try ModelContainer(for: BenchItem.self, configurations: configuration)
        let worker = ItemWorker(modelContainer: container)
        try await worker.insert(count)
        let gaps = [
          try await Heartbeat.longestGap { try await Task.sleep(for: .milliseconds(300)) },
          await Heartbeat.longestGap { await worker.compute(for: .milliseconds(300)) },
          try await Heartbeat.longestGap { _ = try await worker.values() },
          try await Heartbeat.longestGap {
            _ = try container.mainContext.fetch(ItemWorker.sorted).map(BenchValue.init)
          },
        ]
        print(gaps.map { "\($0)" }.joined(separator: " "))
        exit(0)
      } catch {
        print(error)
        exit(1)
      }
    }
    dispatchMain()
  }
}

/// The part of an object that an actor gives away.
private struct BenchValue: Sendable {
  let name: String
  let size: Int

  init(_ item: BenchItem) {
    name = item.name
    size = item.size
  }
}

@ModelActor private actor ItemWorker {
  static var sorted: FetchDescriptor<BenchItem> {
    FetchDescriptor(sortBy: [SortDescriptor(\.size)])
  }

  func insert(_ count: Int) throws {
    for number in 1...count { modelContext.insert(BenchItem(number)) }
    try modelContext.save()
  }

  func values() throws -> [BenchValue] {
    try ModelContext(modelContainer).fetch(Self.sorted).map(BenchValue.init)
  }

  func compute(for duration: Duration) {
    let end = ContinuousClock.now + duration
    while ContinuousClock.now < end {}
  }
}

/// A task of the main actor that wakes every 200 microseconds.
@MainActor private enum Heartbeat {
  /// Returns the longest time between two heartbeats during some work, in milliseconds.
  static func longestGap(_ work: () async throws -> Void) async rethrows -> Double {
    var last = ContinuousClock.now
    var longest = Duration.zero
    func beat() {
      let now = ContinuousClock.now
      longest = max(longest, now - last)
      last = now
    }
    let heart = Task {
      while !Task.isCancelled {
        try await Task.sleep(for: .microseconds(200))
        beat()
      }
    }
    try await work()
    beat()
    heart.cancel()
    return longest / .milliseconds(1)
  }
}
