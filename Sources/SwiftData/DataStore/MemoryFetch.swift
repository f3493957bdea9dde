internal import Foundation

/// The part of a fetch from a store of the program's own that the context does: filtering and sorting.
extension FetchDescriptor {
  /// Returns which of some objects are wanted, in their order, before offset and limit.
  ///
  /// - Throws: Errors of the predicate, or of reading related objects.
  func wanted(
    of links: [ObjectReference],
    in context: ModelContext,
    isFiltered: Bool = false
  ) throws -> [ObjectReference] {
    let result = try context.seeingDeletions {
      var found = links.compactMap { link in (link.model as? T).map { ($0, link) } }
      if !isFiltered, let predicate { found = try found.filter { try predicate.evaluate($0.0) } }
      if !sortBy.isEmpty { found.sort { sortBy.areInOrder($0.0, $1.0) } }
      return found.map(\.1)
    }
    try context.errors.throwOfRead()
    return result
  }
}
