public import Foundation

extension ResultsObserver where SectionTitle == Never {
  /// Creates an observer of what a descriptor describes, in a context.
  ///
  /// - Throws: ``SwiftDataError`` if the objects can't be fetched.
  public convenience init(
    fetchDescriptor: FetchDescriptor<Element>,
    modelContext: ModelContext,
    isolation: isolated (any Actor)? = #isolation
  ) throws {
    try self.init(fetchDescriptor, nil, modelContext, isolation)
  }

  /// Creates an observer of objects that satisfy a predicate, in a context.
  ///
  /// - Throws: ``SwiftDataError`` if the objects can't be fetched.
  public convenience init(
    filterBy: Predicate<Element>? = nil,
    sortBy: [SortDescriptor<Element>] = [],
    modelContext: ModelContext,
    isolation: isolated (any Actor)? = #isolation
  ) throws {
    let descriptor = FetchDescriptor(predicate: filterBy, sortBy: sortBy)
    try self.init(descriptor, nil, modelContext, isolation)
  }

  /// Creates an observer of what a descriptor describes,
  /// of a container: in its main context on the main actor, else in a new one.
  ///
  /// - Throws: ``SwiftDataError`` if the objects can't be fetched.
  public convenience init(
    fetchDescriptor: FetchDescriptor<Element>,
    modelContainer: ModelContainer,
    isolation: isolated (any Actor)? = #isolation
  ) throws {
    try self.init(fetchDescriptor, nil, modelContainer.context(isolation), isolation)
  }

  /// Creates an observer of objects that satisfy a predicate,
  /// of a container: in its main context on the main actor, else in a new one.
  ///
  /// - Throws: ``SwiftDataError`` if the objects can't be fetched.
  public convenience init(
    filterBy: Predicate<Element>? = nil,
    sortBy: [SortDescriptor<Element>] = [],
    modelContainer: ModelContainer,
    isolation: isolated (any Actor)? = #isolation
  ) throws {
    let descriptor = FetchDescriptor(predicate: filterBy, sortBy: sortBy)
    try self.init(descriptor, nil, modelContainer.context(isolation), isolation)
  }
}

extension ResultsObserver where SectionTitle: ResultsSectionTitle {
  /// The property by which the results are in sections; a new one takes effect at once.
  public var sectionBy: KeyPath<Element, SectionTitle>? {
    get { section?.keyPath as? KeyPath<Element, SectionTitle> }
    set { section = newValue.map { Section($0) } }
  }

  /// Creates an observer of what a descriptor describes in sections, in a context.
  ///
  /// - Throws: ``SwiftDataError`` if the objects can't be fetched.
  public convenience init(
    fetchDescriptor: FetchDescriptor<Element>,
    sectionBy: KeyPath<Element, SectionTitle>,
    modelContext: ModelContext,
    isolation: isolated (any Actor)? = #isolation
  ) throws {
    try self.init(fetchDescriptor, Section(sectionBy), modelContext, isolation)
  }

  /// Creates an observer of objects that satisfy a predicate in sections, in a context.
  ///
  /// - Throws: ``SwiftDataError`` if the objects can't be fetched.
  public convenience init(
    filterBy: Predicate<Element>? = nil,
    sortBy: [SortDescriptor<Element>] = [],
    sectionBy: KeyPath<Element, SectionTitle>,
    modelContext: ModelContext,
    isolation: isolated (any Actor)? = #isolation
  ) throws {
    let descriptor = FetchDescriptor(predicate: filterBy, sortBy: sortBy)
    try self.init(descriptor, Section(sectionBy), modelContext, isolation)
  }

  /// Creates an observer of what a descriptor describes in sections,
  /// of a container: in its main context on the main actor, else in a new one.
  ///
  /// - Throws: ``SwiftDataError`` if the objects can't be fetched.
  public convenience init(
    fetchDescriptor: FetchDescriptor<Element>,
    sectionBy: KeyPath<Element, SectionTitle>,
    modelContainer: ModelContainer,
    isolation: isolated (any Actor)? = #isolation
  ) throws {
    try self.init(fetchDescriptor, Section(sectionBy), modelContainer.context(isolation), isolation)
  }

  /// Creates an observer of objects that satisfy a predicate in sections,
  /// of a container: in its main context on the main actor, else in a new one.
  ///
  /// - Throws: ``SwiftDataError`` if the objects can't be fetched.
  public convenience init(
    filterBy: Predicate<Element>? = nil,
    sortBy: [SortDescriptor<Element>] = [],
    sectionBy: KeyPath<Element, SectionTitle>,
    modelContainer: ModelContainer,
    isolation: isolated (any Actor)? = #isolation
  ) throws {
    let descriptor = FetchDescriptor(predicate: filterBy, sortBy: sortBy)
    try self.init(descriptor, Section(sectionBy), modelContainer.context(isolation), isolation)
  }
}

extension ResultsObserver.Section where SectionTitle: ResultsSectionTitle {
  init(_ keyPath: KeyPath<Element, SectionTitle>) {
    self.init(keyPath: keyPath, sort: [SectionTitle._$sort(by: keyPath)]) { $0[keyPath: keyPath] }
  }
}

/// A type of titles by which results can be in sections: `String` or `String?`.
///
/// Its requirement has an underscore, as it isn't for programs to call.
// swift-format-ignore: NoLeadingUnderscores
public protocol ResultsSectionTitle: Hashable {
  /// Returns the key by which objects are sorted by their titles.
  static func _$sort<Model: PersistentModel>(
    by keyPath: KeyPath<Model, Self>
  ) -> SortDescriptor<Model>
}

// swift-format-ignore: NoLeadingUnderscores
extension String: ResultsSectionTitle {
  public static func _$sort<Model: PersistentModel>(
    by keyPath: KeyPath<Model, String>
  ) -> SortDescriptor<Model> { SortDescriptor(keyPath.shared) }
}

// swift-format-ignore: NoLeadingUnderscores
extension String?: ResultsSectionTitle {
  public static func _$sort<Model: PersistentModel>(
    by keyPath: KeyPath<Model, String?>
  ) -> SortDescriptor<Model> { SortDescriptor(keyPath.shared) }
}

extension ModelContainer {
  /// Returns the main context on the main actor, and a new one elsewhere.
  func context(_ isolation: (any Actor)?) -> ModelContext {
    guard isolation === MainActor.shared else { return ModelContext(self) }
    return MainActor.assumeIsolated { ContextBox(context: mainContext) }.context
  }
}

/// A context on its way to the actor that it is on already.
// because it doesn't leave the main actor
private struct ContextBox: @unchecked Sendable {
  let context: ModelContext
}
