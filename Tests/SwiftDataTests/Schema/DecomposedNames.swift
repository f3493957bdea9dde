// swift-format-ignore-file: IdentifiersMustBeASCII

import SwiftData

/// Models whose names are in normal form D in this file: a letter is followed by its mark.
///
/// Swift takes other bytes for other names, so this file alone can use them.
enum Decomposed {
  struct Maße: Codable, Hashable {
    var höhe: Double
    var tiefe: Double?
  }

  @Model final class Größe {
    #Index<Größe>([\.länge, \.maße.höhe])
    @Attribute(.unique) var länge: Double
    var maße: Maße
    @Relationship(inverse: \Größe.übersicht) var einträge: [Größe] = []
    var übersicht: Größe?

    init(länge: Double, höhe: Double) {
      self.länge = länge
      maße = Maße(höhe: höhe)
    }
  }

  static var model: any PersistentModel.Type { Größe.self }

  /// Saves objects with these lengths, the first of which leads to the others.
  static func save(_ lengths: [Double], in context: ModelContext) throws {
    let objects = lengths.map { Größe(länge: $0, höhe: $0 * 2) }
    for object in objects { context.insert(object) }
    objects[0].einträge = Array(objects.dropFirst())
    try context.save()
    objects[0].länge += 1
    try context.save()
  }

  /// Returns the lengths of those that are longer, the greatest first.
  static func lengths(above limit: Double, in context: ModelContext) throws -> [Double] {
    try context.fetch(
      FetchDescriptor<Größe>(
        predicate: #Predicate { $0.länge > limit && $0.maße.höhe > limit },
        sortBy: [SortDescriptor(\.länge, order: .reverse)]
      )
    ).map(\.länge)
  }

  /// Whether the history tells of a change of the length alone.
  static func isLengthTold(in context: ModelContext) throws -> Bool {
    try context.fetchHistory(HistoryDescriptor<DefaultHistoryTransaction>()).contains {
      $0.changes.contains { change in
        guard case .update(let update) = change else { return false }
        let attributes = (update as? DefaultHistoryUpdate<Größe>)?.updatedAttributes ?? []
        return attributes.map { $0 as AnyKeyPath } == [\Größe.länge]
      }
    }
  }
}
