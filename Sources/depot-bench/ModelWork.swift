import DepotLinux
import SwiftData

/// The objects of the benchmark: six attributes, as ``Item`` has them.
@Model final class BenchItem {
  var name: String
  var section: String
  var size: Int
  var score: Double
  var isEssential: Bool
  var note: String?

  init(_ number: Int) {
    name = "package-\(number)"
    section = "section-\(number % 57)"
    size = (number &* 7919) % 1_000_003
    score = Double(number % 1000) / 8
    isEssential = number % 10 == 0
    note = number % 3 == 0 ? nil : "a short note about number \(number)"
  }
}

/// An object with parts: ten for each.
@Model final class BenchOwner {
  var name: String
  @Relationship(deleteRule: .cascade, inverse: \BenchPart.owner) var parts: [BenchPart] = []

  init(_ number: Int) { name = "owner-\(number)" }
}

/// A part of an object.
@Model final class BenchPart {
  var name: String
  var size: Int
  var owner: BenchOwner?

  init(_ number: Int, of owner: BenchOwner) {
    name = "part-\(number)"
    size = number
    self.owner = owner
  }
}

/// The benchmark's work with objects, in a process of its own so that its memory can be measured.
enum ModelWork {
  /// Inserts, fetches, changes, and deletes `count` objects; prints the milliseconds of each and the
  /// most memory in KiB.
  static func run(_ kind: String, _ path: String, _ count: Int) throws {
    let configuration = ModelConfiguration(url: URL(filePath: path))
    let container = try ModelContainer(
      for: BenchItem.self,
      BenchOwner.self,
      configurations: configuration
    )
    let figures = kind == "flat" ? try flat(container, count) : try related(container, count)
    print(figures.map { "\($0)" }.joined(separator: " "), peakKibibytes())
  }

  /// Does the first of these with `count` objects: inserts, fetches, changes, and deletes them.
  static func run(stages: Int, _ path: String, _ count: Int) throws {
    let configuration = ModelConfiguration(url: URL(filePath: path))
    let container = try ModelContainer(for: BenchItem.self, configurations: configuration)
    let context = ModelContext(container)
    for number in 1...count { context.insert(BenchItem(number)) }
    try context.save()
    guard stages > 1 else { return }
    let other = ModelContext(container)
    let items = try other.fetch(FetchDescriptor<BenchItem>(sortBy: [SortDescriptor(\.size)]))
    var sum = 0
    for item in items { sum &+= item.size }
    guard items.count == count, sum != 0 else { throw BenchError("\(items.count) items came") }
    guard stages > 2 else { return }
    for item in items { item.score += 1 }
    try other.save()
    guard stages > 3 else { return }
    for item in items { other.delete(item) }
    try other.save()
  }

  private static func flat(_ container: ModelContainer, _ count: Int) throws -> [Double] {
    let sorted = FetchDescriptor<BenchItem>(sortBy: [SortDescriptor(\.size)])
    let insert = try milliseconds {
      let context = ModelContext(container)
      for number in 1...count { context.insert(BenchItem(number)) }
      try context.save()
    }
    var sum = 0
    let fetch = try milliseconds {
      for item in try ModelContext(container).fetch(sorted) { sum &+= item.size }
    }
    let change = ModelContext(container)
    let items = try change.fetch(sorted)
    guard items.count == count, sum != 0 else { throw BenchError("\(items.count) items came") }
    let update = try milliseconds {
      for item in items { item.score += 1 }
      try change.save()
    }
    let delete = try milliseconds {
      for item in items { change.delete(item) }
      try change.save()
    }
    return [insert, fetch, update, delete]
  }

  private static func related(_ container: ModelContainer, _ count: Int) throws -> [Double] {
    let insert = try milliseconds {
      let context = ModelContext(container)
      for number in 1...max(1, count / 10) {
        let owner = BenchOwner(number)
        context.insert(owner)
        for part in 0..<10 { context.insert(BenchPart(number * 10 + part, of: owner)) }
      }
      try context.save()
    }
    var descriptor = FetchDescriptor<BenchOwner>(sortBy: [SortDescriptor(\.name)])
    descriptor.relationshipKeyPathsForPrefetching = [\.parts]
    var sum = 0
    let fetch = try milliseconds {
      for owner in try ModelContext(container).fetch(descriptor) {
        for part in owner.parts { sum &+= part.size }
      }
    }
    let change = ModelContext(container)
    let owners = try change.fetch(descriptor)
    let update = try milliseconds {
      for owner in owners { for part in owner.parts { part.size += 1 } }
      try change.save()
    }
    let delete = try milliseconds {
      for owner in owners { change.delete(owner) }
      try change.save()
    }
    guard sum != 0, try change.fetchCount(FetchDescriptor<BenchPart>()) == 0 else {
      throw BenchError("parts were left")
    }
    return [insert, fetch, update, delete]
  }

  private static func peakKibibytes() -> Int {
    let text = (try? String(contentsOfFile: "/proc/self/status", encoding: .utf8)) ?? ""
    let line = text.split(separator: "\n").first { $0.hasPrefix("VmHWM:") }
    return line?.split(separator: " ").compactMap { Int($0) }.first ?? 0
  }
}
