public import Foundation
public import Observation

/// The results of a fetch, kept up to date and observable.
///
/// The results follow changes of the same context, saved or not, of other contexts, and of other
/// processes. Observers are notified when objects enter or leave the results, or when the order or
/// the sections change. They observe the properties of the objects by reading them.
///
/// The observer belongs to the thread or actor of its context, and lets that context merge the
/// saves of others. A context without an actor updates the results on the actor that made the
/// observer; if there is none, when it processes changes or saves.
public final class ResultsObserver<Element: PersistentModel, SectionTitle: Hashable>: Observable,
  ResultsOwner
{
  private let registrar = ObservationRegistrar()
  /// The context of the results.
  public let modelContext: ModelContext
  /// The descriptor of the results; setting it fetches the new results at once.
  public var fetchDescriptor: FetchDescriptor<Element> {
    didSet { refetch() }
  }
  private let section: Section?
  private var dependency: ResultsDependency
  private var elements: [Element] = []
  private var positions: [ObjectIdentifier: Int]?
  private var collection = FetchResultsCollection<Element>([])
  private var sectioned: SectionedResults<Element, SectionTitle>?
  private weak var tracker: ResultsTracker?
  /// Why the last fetch has failed; `nil` after one that didn't.
  public private(set) var fetchError: (any Error)?

  /// The property by which sections are made.
  struct Section {
    let keyPath: PartialKeyPath<Element>
    /// The one key that sorts by sections.
    ///
    /// It is in an array, since the linker lacks a symbol that an optimized struct needs to hold
    /// it directly.
    let sort: [SortDescriptor<Element>]
    let title: (Element) -> SectionTitle
  }

  init(
    _ descriptor: FetchDescriptor<Element>,
    _ section: Section?,
    _ context: ModelContext,
    _ isolation: (any Actor)?
  ) throws {
    modelContext = context
    fetchDescriptor = descriptor
    self.section = section
    dependency = ResultsDependency(descriptor)
    context.settle(on: isolation)
    context.automaticallyMergesChanges = true
    context.willRead()
    try take(context.fetch(whole))
    dependency = ResultsDependency(whole)
    let tracker = ResultsTracker(self, context)
    self.tracker = tracker
    context.observers.append(tracker)
  }

  // MARK: - The descriptor

  /// The condition that the results must satisfy.
  public var filterBy: Predicate<Element>? {
    get { fetchDescriptor.predicate }
    set { fetchDescriptor.predicate = newValue }
  }

  /// How the results are sorted, inside their sections.
  public var sortBy: [SortDescriptor<Element>] {
    get { fetchDescriptor.sortBy }
    set { fetchDescriptor.sortBy = newValue }
  }

  /// The property by which the results are in sections; `nil` without sections.
  public var sectionBy: PartialKeyPath<Element>? { section?.keyPath }

  /// The descriptor of the results, sorted by sections first.
  private var whole: FetchDescriptor<Element> {
    guard let section else { return fetchDescriptor }
    var whole = fetchDescriptor
    whole.sortBy = section.sort + whole.sortBy
    return whole
  }

  // MARK: - Results

  /// The results.
  ///
  /// Setting this replaces them, also in the sections, until a change makes the observer fetch.
  public var results: FetchResultsCollection<Element> {
    get {
      catchUp()
      registrar.access(self, keyPath: \.results)
      return collection
    }
    set { take(Array(newValue)) }
  }

  /// The results in sections; `nil` without sections.
  ///
  /// Setting this replaces them, and the results, until a change makes the observer fetch.
  public var sections: SectionedResults<Element, SectionTitle>? {
    get {
      catchUp()
      registrar.access(self, keyPath: \.results)
      return sectioned
    }
    set {
      var all = elements
      if let newValue { all = Array(newValue.joined()) }
      show(all, newValue)
    }
  }

  /// Returns the result at a path: section and position, or a position if there are no sections.
  public func element(at indexPath: IndexPath) -> Element? {
    catchUp()
    registrar.access(self, keyPath: \.results)
    if let sectioned, indexPath.count == 2 {
      guard sectioned.indices.contains(indexPath[0]),
        sectioned[indexPath[0]].indices.contains(indexPath[1])
      else { return nil }
      return sectioned[indexPath[0]][indexPath[1]]
    }
    guard let position = indexPath.last, elements.indices.contains(position),
      indexPath.dropLast().allSatisfy({ $0 == 0 })
    else { return nil }
    return elements[position]
  }

  /// Returns the path of a result: its section and its position.
  public func indexPath(for element: Element) -> IndexPath? {
    catchUp()
    registrar.access(self, keyPath: \.results)
    if positions == nil {
      positions = Dictionary(
        first: elements.enumerated().map { (ObjectIdentifier($0.element), $0.offset) }
      )
    }
    guard var position = positions?[ObjectIdentifier(element)] else { return nil }
    guard let sectioned else { return IndexPath(indexes: [0, position]) }
    for (index, section) in sectioned.enumerated() {
      if position < section.count { return IndexPath(indexes: [index, position]) }
      position -= section.count
    }
    return nil
  }

  // MARK: - Keeping up

  /// Merges the waiting changes of others first, where no queue has done that before.
  private func catchUp() {
    let executor = modelContext.mergeQueue.executor
    if executor.isOrdered { return }
    if modelContext.accessGuard.hasPendingEvents { modelContext.mergePendingEvents() }
    if !executor.isCaller { tracker?.didBecomeIdle() }
  }

  var isOutdated: Bool { fetchError != nil }

  func update(after changes: MergedChanges) {
    if isOutdated || dependency.isMet(by: changes) || section != nil { fetch() }
  }

  private func refetch() {
    dependency = ResultsDependency(whole)
    fetch()
  }

  private func fetch() {
    do {
      try modelContext.settleSaves()
      modelContext.mergeRemoteChanges()
      let found = try modelContext.errors.apart { try modelContext.found(whole) }
      if let section { try SectionTitles.check(found, section.keyPath) }
      take(found)
      fetchError = nil
    } catch {
      fetchError = error
    }
  }

  private func take(_ found: [Element]) {
    let titles = section.map { section in SectionedResults(found, section.title) }
    guard
      !found.elementsEqual(elements, by: ===) || titles?.sectionTitles != sectioned?.sectionTitles
        || titles?.map(\.count) != sectioned?.map(\.count)
    else { return }
    show(found, titles)
  }

  private func show(_ found: [Element], _ sections: SectionedResults<Element, SectionTitle>?) {
    modelContext.accessGuard.aside {
      registrar.withMutation(of: self, keyPath: \.results) {
        elements = found
        positions = nil
        collection = FetchResultsCollection(found)
        sectioned = sections
      }
    }
  }
}

extension ResultsObserver: CustomDebugStringConvertible {
  public var debugDescription: String {
    let sections = sectioned.map { " in \($0.count) sections" } ?? ""
    return "\(Self.self): \(elements.count) results\(sections)"
  }
}

@available(*, unavailable, message: "The results belong to the context that they were fetched in.")
extension ResultsObserver: Sendable {}
