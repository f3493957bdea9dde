public import Foundation

/// Observers of results without sections.
extension ResultsObserver where SectionTitle == Never {
  /// Creates an observer of a descriptor's objects, in a context.
  ///
  /// - Throws: ``SwiftDataError`` if the objects can't be fetched.
  public convenience init(
    fetchDescriptor: FetchDescriptor<Element> = FetchDescriptor<Element>(),
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
    sortBy: [SortDescriptor<Element>]? = nil,
    modelContext: ModelContext,
    isolation: isolated (any Actor)? = #isolation
  ) throws {
    try self.init(FetchDescriptor(filterBy, sortBy), nil, modelContext, isolation)
  }

  /// Creates an observer of a descriptor's objects in a container.
  ///
  /// On the main actor it uses the container's main context, else a new one.
  ///
  /// - Throws: ``SwiftDataError`` if the objects can't be fetched.
  public convenience init(
    fetchDescriptor: FetchDescriptor<Element> = FetchDescriptor<Element>(),
    modelContainer: ModelContainer,
    isolation: isolated (any Actor)? = #isolation
  ) throws {
    try self.init(fetchDescriptor, nil, modelContainer.context(isolation), isolation)
  }

  /// Creates an observer of objects that satisfy a predicate, in a container.
  ///
  /// On the main actor it uses the container's main context, else a new one.
  ///
  /// - Throws: ``SwiftDataError`` if the objects can't be fetched.
  public convenience init(
    filterBy: Predicate<Element>? = nil,
    sortBy: [SortDescriptor<Element>]? = nil,
    modelContainer: ModelContainer,
    isolation: isolated (any Actor)? = #isolation
  ) throws {
    let descriptor = FetchDescriptor(filterBy, sortBy)
    try self.init(descriptor, nil, modelContainer.context(isolation), isolation)
  }
}

/// Observers of results in sections of a text.
///
/// Where the text may be absent, the objects without one are in the section with the empty title.
extension ResultsObserver where SectionTitle == String {
  /// Creates an observer of a descriptor's objects in sections of a text, in a context.
  ///
  /// - Throws: ``SwiftDataError`` if the objects can't be fetched.
  public convenience init(
    fetchDescriptor: FetchDescriptor<Element> = FetchDescriptor<Element>(),
    sectionBy: KeyPath<Element, String>,
    modelContext: ModelContext,
    isolation: isolated (any Actor)? = #isolation
  ) throws {
    try self.init(fetchDescriptor, Section(sectionBy), modelContext, isolation)
  }

  /// Creates an observer of a descriptor's objects in sections of a text, in a container.
  ///
  /// On the main actor it uses the container's main context, else a new one.
  ///
  /// - Throws: ``SwiftDataError`` if the objects can't be fetched.
  public convenience init(
    fetchDescriptor: FetchDescriptor<Element> = FetchDescriptor<Element>(),
    sectionBy: KeyPath<Element, String>,
    modelContainer: ModelContainer,
    isolation: isolated (any Actor)? = #isolation
  ) throws {
    try self.init(fetchDescriptor, Section(sectionBy), modelContainer.context(isolation), isolation)
  }

  /// Creates an observer of objects that satisfy a predicate in sections of a text, in a context.
  ///
  /// - Throws: ``SwiftDataError`` if the objects can't be fetched.
  public convenience init(
    filterBy: Predicate<Element>? = nil,
    sortBy: [SortDescriptor<Element>]? = nil,
    sectionBy: KeyPath<Element, String>,
    modelContext: ModelContext,
    isolation: isolated (any Actor)? = #isolation
  ) throws {
    try self.init(FetchDescriptor(filterBy, sortBy), Section(sectionBy), modelContext, isolation)
  }

  /// Creates an observer of objects that satisfy a predicate in sections of a text, in a container.
  ///
  /// On the main actor it uses the container's main context, else a new one.
  ///
  /// - Throws: ``SwiftDataError`` if the objects can't be fetched.
  public convenience init(
    filterBy: Predicate<Element>? = nil,
    sortBy: [SortDescriptor<Element>]? = nil,
    sectionBy: KeyPath<Element, String>,
    modelContainer: ModelContainer,
    isolation: isolated (any Actor)? = #isolation
  ) throws {
    let descriptor = FetchDescriptor(filterBy, sortBy)
    try self.init(descriptor, Section(sectionBy), modelContainer.context(isolation), isolation)
  }

  /// Creates an observer of a descriptor's objects in sections of an optional text, in a context.
  ///
  /// - Throws: ``SwiftDataError`` if the objects can't be fetched.
  public convenience init(
    fetchDescriptor: FetchDescriptor<Element> = FetchDescriptor<Element>(),
    sectionBy: KeyPath<Element, String?>,
    modelContext: ModelContext,
    isolation: isolated (any Actor)? = #isolation
  ) throws {
    try self.init(fetchDescriptor, Section(sectionBy), modelContext, isolation)
  }

  /// Creates an observer of a descriptor's objects in sections of an optional text, in a
  /// container.
  ///
  /// On the main actor it uses the container's main context, else a new one.
  ///
  /// - Throws: ``SwiftDataError`` if the objects can't be fetched.
  public convenience init(
    fetchDescriptor: FetchDescriptor<Element> = FetchDescriptor<Element>(),
    sectionBy: KeyPath<Element, String?>,
    modelContainer: ModelContainer,
    isolation: isolated (any Actor)? = #isolation
  ) throws {
    try self.init(fetchDescriptor, Section(sectionBy), modelContainer.context(isolation), isolation)
  }

  /// Creates an observer of a predicate's objects in sections of an optional text, in a context.
  ///
  /// - Throws: ``SwiftDataError`` if the objects can't be fetched.
  public convenience init(
    filterBy: Predicate<Element>? = nil,
    sortBy: [SortDescriptor<Element>]? = nil,
    sectionBy: KeyPath<Element, String?>,
    modelContext: ModelContext,
    isolation: isolated (any Actor)? = #isolation
  ) throws {
    try self.init(FetchDescriptor(filterBy, sortBy), Section(sectionBy), modelContext, isolation)
  }

  /// Creates an observer of a predicate's objects in sections of an optional text, in a container.
  ///
  /// On the main actor it uses the container's main context, else a new one.
  ///
  /// - Throws: ``SwiftDataError`` if the objects can't be fetched.
  public convenience init(
    filterBy: Predicate<Element>? = nil,
    sortBy: [SortDescriptor<Element>]? = nil,
    sectionBy: KeyPath<Element, String?>,
    modelContainer: ModelContainer,
    isolation: isolated (any Actor)? = #isolation
  ) throws {
    let descriptor = FetchDescriptor(filterBy, sortBy)
    try self.init(descriptor, Section(sectionBy), modelContainer.context(isolation), isolation)
  }
}

extension ResultsObserver.Section where SectionTitle == String {
  init(_ keyPath: KeyPath<Element, String>) {
    self.init(keyPath: keyPath, sort: [SortDescriptor(keyPath.shared)]) { $0[keyPath: keyPath] }
  }

  init(_ keyPath: KeyPath<Element, String?>) {
    // An absent title comes first, and the empty text next, so that both are one section.
    self.init(keyPath: keyPath, sort: [SortDescriptor(keyPath.shared)]) {
      $0[keyPath: keyPath] ?? ""
    }
  }
}

extension FetchDescriptor {
  fileprivate init(_ predicate: Predicate<T>?, _ sortBy: [SortDescriptor<T>]?) {
    self.init(predicate: predicate, sortBy: sortBy ?? [])
  }
}

extension ModelContainer {
  /// Returns the main context on the main actor, and a new one elsewhere.
  func context(_ isolation: (any Actor)?) -> ModelContext {
    guard isolation === MainActor.shared else { return ModelContext(self) }
    let main = MainActor.assumeIsolated { ReturningReference(object: mainContext) }
    // The container keeps its main context.
    return main.object ?? ModelContext(self)
  }
}
