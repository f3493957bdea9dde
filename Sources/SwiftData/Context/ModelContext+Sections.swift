public import Foundation

/// Objects that have a value in common, among those of a fetch.
public struct ModelSection<Model: PersistentModel, Title: Hashable>: Identifiable {
  /// The value that the objects have in common.
  public let title: Title
  /// The objects, in their order.
  public let models: [Model]

  public var id: Title { title }
}

extension ModelContext {
  /// Returns the objects that a descriptor describes in sections, in the order of the sections' titles and
  /// then in that of the descriptor.
  ///
  /// - Parameters:
  ///   - descriptor: Which objects; its limit and offset count objects, not sections.
  ///   - keyPath: The stored attribute that the objects of a section have in common.
  ///   - order: The order of the sections.
  /// - Returns: The sections that have objects.
  /// - Throws: ``SwiftDataError`` as ``fetch(_:)`` does.
  public final func fetchSections<T: PersistentModel, Title: Hashable & Comparable>(
    _ descriptor: FetchDescriptor<T>,
    by keyPath: any KeyPath<T, Title> & Sendable,
    order: SortOrder = .forward
  ) throws -> [ModelSection<T, Title>] {
    var descriptor = descriptor
    descriptor.sortBy.insert(SortDescriptor(property: keyPath, order: order), at: 0)
    return SectionedResults(try fetch(descriptor)) { $0[keyPath: keyPath] }.map { section in
      ModelSection(title: section.title, models: Array(section))
    }
  }
}
