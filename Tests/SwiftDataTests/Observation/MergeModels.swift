import Foundation
import SwiftData

@Model final class Rack {
  var name: String
  @Relationship(inverse: \Tome.rack) var tomes: [Tome] = []

  init(name: String) { self.name = name }
}

@Model final class Tome {
  var title: String
  var pages = 0
  @Attribute(.externalStorage) var scan = Data([0])
  var rack: Rack?
  @Relationship(inverse: \Label.tomes) var labels: [Label] = []

  init(title: String) { self.title = title }
}

@Model final class Label {
  var name: String
  var tomes: [Tome] = []

  init(name: String) { self.name = name }
}

/// What one program does with racks, tomes, and labels.
final class MergeSession {
  let context: ModelContext
  private var tomes: [Tome] = []
  private var racks: [Rack] = []
  private var labels: [Label] = []
  /// All objects that the program has had.
  private var kept: [any PersistentModel] = []

  init(_ container: ModelContainer) throws {
    context = ModelContext(container)
    context.automaticallyMergesChanges = true
    racks = try context.fetch(FetchDescriptor<Rack>(sortBy: [SortDescriptor(\.name)]))
    labels = try context.fetch(FetchDescriptor<Label>(sortBy: [SortDescriptor(\.name)]))
    kept = racks + labels
    try fetch()
    for rack in racks { _ = rack.tomes.count }
    for label in labels.dropFirst() { _ = label.tomes.count }
  }

  private func fetch() throws {
    tomes = try context.fetch(FetchDescriptor<Tome>(sortBy: [SortDescriptor(\.title)]))
    kept += tomes as [any PersistentModel]
  }

  /// Does one thing by chance.
  func step(_ number: Int, _ random: inout some RandomNumberGenerator) throws {
    let here = tomes.filter { $0.modelContext != nil && !$0.isDeleted }
    guard let tome = here.randomElement(using: &random),
      let rack = racks.randomElement(using: &random),
      let label = labels.randomElement(using: &random)
    else { return }
    switch Int.random(in: 0..<19, using: &random) {
    case 0, 1: tome.title = "title \(number)"
    case 2: tome.pages = number
    case 3, 4: tome.rack = rack
    case 5: tome.rack = nil
    case 6: rack.tomes = here.filter { _ in Bool.random(using: &random) }
    case 7:
      if tome.labels.contains(where: { $0 === label }) {
        tome.labels.removeAll { $0 === label }
      } else {
        tome.labels.append(label)
      }
    case 8:
      if label.tomes.contains(where: { $0 === tome }) {
        label.tomes.removeAll { $0 === tome }
      } else {
        label.tomes.append(tome)
      }
    case 9: tome.scan = Data([UInt8(number)])
    case 10: _ = tome.scan
    case 11:
      let new = Tome(title: "new \(number)")
      context.insert(new)
      new.rack = rack
      tomes.append(new)
      kept.append(new)
    case 12, 13, 14: save()
    case 15: context.processPendingChanges()
    case 16: context.rollback()
    case 17:
      var descriptor = FetchDescriptor<Tome>()
      descriptor.propertiesToFetch = [\.pages]
      kept += try context.fetch(descriptor) as [any PersistentModel]
    default: try fetch()
    }
  }

  /// Saves, or takes everything back if others were first.
  func save() { do { try context.save() } catch { context.rollback() } }

  /// What the objects are that the program has had.
  func known() -> [PersistentIdentifier: String] {
    let here = kept.filter { $0.modelContext != nil }
    return Dictionary(here.map { ($0.persistentModelID, Self.text($0)) }) { $1 }
  }

  /// What is stored.
  static func stored(in container: ModelContainer) throws -> [PersistentIdentifier: String] {
    let context = ModelContext(container)
    let all: [any PersistentModel] =
      try context.fetch(FetchDescriptor<Rack>()) + context.fetch(FetchDescriptor<Tome>())
      + context.fetch(FetchDescriptor<Label>())
    return Dictionary(all.map { ($0.persistentModelID, text($0)) }) { $1 }
  }

  private static func text(_ model: any PersistentModel) -> String {
    switch model {
    case let rack as Rack: return "\(rack.name) \(names(rack.tomes))"
    case let tome as Tome:
      let values = "\(tome.title) \(tome.pages) \(Array(tome.scan))"
      return "\(values) \(names(tome.rack.map { [$0] } ?? [])) \(names(tome.labels))"
    case let label as Label: return "\(label.name) \(names(label.tomes))"
    default: return ""
    }
  }

  private static func names(_ models: [some PersistentModel]) -> [String] {
    models.map { "\($0.persistentModelID)" }.sorted()
  }
}
