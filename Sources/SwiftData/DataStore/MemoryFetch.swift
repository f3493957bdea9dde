internal import Foundation

/// The part of a fetch from a store of the program's own that the context does: filtering and sorting.
struct MemoryFetch<Model: PersistentModel> {
  private let context: ModelContext
  private let descriptor: FetchDescriptor<Model>
  /// Whether the objects are those that the predicate describes.
  var isFiltered = false

  init(_ context: ModelContext, _ descriptor: FetchDescriptor<Model>) {
    self.context = context
    self.descriptor = descriptor
  }

  /// - Throws: The predicate's error, or that of reading objects to which it leads.
  func run(_ links: [Link]) throws -> [Link] {
    let result = try context.seeingDeletions { try wanted(links) }
    try context.throwPostponedError()
    return result
  }

  private func wanted(_ links: [Link]) throws -> [Link] {
    var result = links.compactMap { link in (link.model as? Model).map { ($0, link) } }
    if !isFiltered, let predicate = descriptor.predicate {
      result = try result.filter { try predicate.evaluate($0.0) }
    }
    if !descriptor.sortBy.isEmpty {
      result.sort { descriptor.sortBy.areInOrder($0.0, $1.0) }
    }
    return result.map(\.1)
  }
}
