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
  @Relationship(inverse: \Jacket.tome) var jacket: Jacket?

  init(title: String) { self.title = title }
}

@Model final class Label {
  var name: String
  var tomes: [Tome] = []

  init(name: String) { self.name = name }
}

@Model final class Jacket {
  var name: String
  var tome: Tome?

  init(name: String) { self.name = name }
}

/// What programs do beyond changing what they have.
struct MergePlay: OptionSet, CustomStringConvertible {
  let rawValue: Int

  /// They delete objects.
  static let deletions = MergePlay(rawValue: 1)
  /// They undo changes.
  static let undo = MergePlay(rawValue: 2)
  /// They use all merge policies.
  static let policies = MergePlay(rawValue: 4)
  /// They change relationships from one to one.
  static let jackets = MergePlay(rawValue: 8)

  static let all: MergePlay = [.deletions, .undo, .policies, .jackets]

  var description: String {
    let names = ["deletions", "undo", "policies", "jackets"]
    let parts = names.indices.filter { contains(MergePlay(rawValue: 1 << $0)) }.map { names[$0] }
    return parts.isEmpty ? "changes" : parts.joined(separator: ", ")
  }
}

/// What one program does with racks, tomes, labels, and jackets.
final class MergeSession {
  let context: ModelContext
  private let play: MergePlay
  private let manager: UndoManager?
  private var tomes: [Tome] = []
  private var racks: [Rack] = []
  private var labels: [Label] = []
  private var jackets: [Jacket] = []
  /// All objects that the program has had.
  private var kept: [any PersistentModel] = []

  init(_ container: ModelContainer, _ play: MergePlay, _ policy: MergePolicy) throws {
    context = ModelContext(container)
    context.automaticallyMergesChanges = true
    if play.contains(.policies) { context.mergePolicy = policy }
    self.play = play
    manager = play.contains(.undo) ? UndoManager() : nil
    context.undoManager = manager
    racks = try context.fetch(FetchDescriptor<Rack>(sortBy: [SortDescriptor(\.name)]))
    labels = try context.fetch(FetchDescriptor<Label>(sortBy: [SortDescriptor(\.name)]))
    jackets = try context.fetch(FetchDescriptor<Jacket>(sortBy: [SortDescriptor(\.name)]))
    kept = racks + labels + jackets
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
    let here = Self.present(tomes)
    guard let tome = here.randomElement(using: &random),
      let rack = Self.present(racks).randomElement(using: &random),
      let label = labels.randomElement(using: &random)
    else { return }
    switch Int.random(in: 0..<23, using: &random) {
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
    case 18: if play.contains(.deletions) { context.delete(tome) }
    case 19:
      if play.contains(.deletions), Int.random(in: 0..<4, using: &random) == 0 {
        context.delete(rack)
      }
    case 20: manager?.undo()
    case 21: if play.contains(.jackets) { tome.jacket = jackets.randomElement(using: &random) }
    default: try fetch()
    }
  }

  private static func present<T: PersistentModel>(_ models: [T]) -> [T] {
    models.filter { $0.modelContext != nil && !$0.isDeleted }
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
      + context.fetch(FetchDescriptor<Label>()) + context.fetch(FetchDescriptor<Jacket>())
    return Dictionary(all.map { ($0.persistentModelID, text($0)) }) { $1 }
  }

  private static func text(_ model: any PersistentModel) -> String {
    switch model {
    case let rack as Rack: return "\(rack.name) \(names(rack.tomes))"
    case let tome as Tome:
      let values = "\(tome.title) \(tome.pages) \(Array(tome.scan))"
      let jacket = names(tome.jacket.map { [$0] } ?? [])
      return "\(values) \(names(tome.rack.map { [$0] } ?? [])) \(names(tome.labels)) \(jacket)"
    case let jacket as Jacket: return "\(jacket.name) \(names(jacket.tome.map { [$0] } ?? []))"
    case let label as Label: return "\(label.name) \(names(label.tomes))"
    default: return ""
    }
  }

  private static func names(_ models: [some PersistentModel]) -> [String] {
    models.map { "\($0.persistentModelID)" }.sorted()
  }
}
