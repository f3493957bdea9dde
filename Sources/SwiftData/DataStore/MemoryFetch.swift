internal import Foundation

/// What a context does itself of a fetch: leaving out, sorting and cutting.
struct MemoryFetch<Model: PersistentModel> {
  private let context: ModelContext
  private let descriptor: FetchDescriptor<Model>
  /// Whether the objects are those that the predicate describes.
  var isFiltered = false

  init(_ context: ModelContext, _ descriptor: FetchDescriptor<Model>) {
    self.context = context
    self.descriptor = descriptor
  }

  /// - Throws: What evaluating the predicate throws, or why objects can't be read that it leads to.
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
      result.sort { left, right in
        for key in descriptor.sortBy {
          switch key.compare(left.0, right.0) {
          case .orderedAscending: return true
          case .orderedDescending: return false
          case .orderedSame: continue
          }
        }
        return false
      }
    }
    return cut(result.map(\.1))
  }

  /// Returns what is left of a list by offset and limit.
  func cut<Element>(_ list: [Element]) -> [Element] {
    let rest = list.dropFirst(max(0, descriptor.fetchOffset ?? 0))
    guard let limit = descriptor.fetchLimit else { return Array(rest) }
    return Array(rest.prefix(max(0, limit)))
  }
}
