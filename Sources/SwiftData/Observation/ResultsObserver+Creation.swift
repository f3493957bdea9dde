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

extension ResultsObserver where SectionTitle == String {
  /// The property by which the results are in sections; a new one takes effect at once.
  public var sectionBy: KeyPath<Element, String>? {
    get { sectionKeyPath() as? KeyPath<Element, String> }
    set { setSection(newValue.map { Section($0) }) }
  }

  /// Creates an observer of what a descriptor describes in sections, in a context.
  ///
  /// - Throws: ``SwiftDataError`` if the objects can't be fetched.
  public convenience init(
    fetchDescriptor: FetchDescriptor<Element>,
    sectionBy: KeyPath<Element, String>,
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
    sectionBy: KeyPath<Element, String>,
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
    sectionBy: KeyPath<Element, String>,
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
    sectionBy: KeyPath<Element, String>,
    modelContainer: ModelContainer,
    isolation: isolated (any Actor)? = #isolation
  ) throws {
    let descriptor = FetchDescriptor(predicate: filterBy, sortBy: sortBy)
    try self.init(descriptor, Section(sectionBy), modelContainer.context(isolation), isolation)
  }
}

extension ResultsObserver where SectionTitle == String? {
  /// The property by which the results are in sections; a new one takes effect at once.
  public var sectionBy: KeyPath<Element, String?>? {
    get { sectionKeyPath() as? KeyPath<Element, String?> }
    set { setSection(newValue.map { Section($0) }) }
  }

  /// Creates an observer of what a descriptor describes in sections, in a context.
  ///
  /// - Throws: ``SwiftDataError`` if the objects can't be fetched.
  public convenience init(
    fetchDescriptor: FetchDescriptor<Element>,
    sectionBy: KeyPath<Element, String?>,
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
    sectionBy: KeyPath<Element, String?>,
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
    sectionBy: KeyPath<Element, String?>,
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
    sectionBy: KeyPath<Element, String?>,
    modelContainer: ModelContainer,
    isolation: isolated (any Actor)? = #isolation
  ) throws {
    let descriptor = FetchDescriptor(predicate: filterBy, sortBy: sortBy)
    try self.init(descriptor, Section(sectionBy), modelContainer.context(isolation), isolation)
  }
}

extension ResultsObserver.Section where SectionTitle == String {
  init(_ keyPath: KeyPath<Element, String>) {
    self.init(keyPath: keyPath, sort: [SortDescriptor(keyPath.shared)]) { $0[keyPath: keyPath] }
  }
}

extension ResultsObserver.Section where SectionTitle == String? {
  init(_ keyPath: KeyPath<Element, String?>) {
    self.init(keyPath: keyPath, sort: [SortDescriptor(keyPath.shared)]) { $0[keyPath: keyPath] }
  }
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
