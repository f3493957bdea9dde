public import Foundation

/// Objects of a fetch that have a value in common.
public struct ModelSection<Model: PersistentModel, Title: Hashable>: Identifiable {
  /// The value that the objects have in common.
  public let title: Title
  /// The objects, in their order.
  public let models: [Model]

  public var id: Title { title }
}

extension ModelContext {
  /// Returns the objects that a descriptor describes in sections, ordered by title.
  ///
  /// Objects of a section are in the order of the descriptor.
  ///
  /// - Parameters:
  ///   - descriptor: Which objects; its limit and offset count objects, not sections.
  ///   - keyPath: The stored attribute that the objects of a section have in common.
  ///   - order: The order of the sections.
  /// - Returns: The sections that have objects.
  /// - Throws: ``SwiftDataError`` as ``fetch(_:)`` does, and ``SwiftDataError/unsupportedKeyPath`` if an
  ///   object lacks the attribute, as by `\.group!.name`.
  public final func fetchSections<T: PersistentModel, Title: Hashable & Comparable>(
    _ descriptor: FetchDescriptor<T>,
    by keyPath: any KeyPath<T, Title> & Sendable,
    order: SortOrder = .forward
  ) throws -> [ModelSection<T, Title>] {
    var descriptor = descriptor
    descriptor.sortBy.insert(SortDescriptor(property: keyPath, order: order), at: 0)
    let found = try fetch(descriptor)
    try SectionTitles.check(found, keyPath)
    return SectionedResults(found) { $0[keyPath: keyPath] }.map { section in
      ModelSection(title: section.title, models: Array(section))
    }
  }
}

/// The attributes by which objects are in sections.
enum SectionTitles {
  /// Checks that objects have an attribute that has to be there.
  ///
  /// - Throws: ``SwiftDataError/unsupportedKeyPath`` if one lacks it.
  static func check<T: PersistentModel>(_ models: [T], _ keyPath: PartialKeyPath<T>) throws {
    let description = EntityDescription.of(T.self)
    guard !(type(of: keyPath).valueType is any OptionalType.Type),
      let path = ModelPath.find(keyPath, of: T.self)?.path,
      path.contains(".") || description.property(named: path)?.codec?.attribute.isOptional == true,
      let link = models.lazy.compactMap({ $0.ownStorage?.link }).first(where: { link in
        ModelRow(link).lacks(path)
      })
    else { return }
    throw SwiftDataError(
      .unsupportedKeyPath,
      "The \(description.name) \(link.storage.identifier) has no \(path) to be in a section of.",
      hint: "Leave such objects out with the predicate.",
      entity: description.name
    )
  }
}
