public import Foundation

/// Objects that satisfy a predicate, kept up to date and observable.
///
/// It corresponds to SwiftUI's `@Query`, and works without SwiftUI.
///
/// ```swift
/// @MainActor final class TripList {
///   @LiveQuery(filter: #Predicate<Trip> { $0.days > 3 }, sort: \.name) var trips: [Trip]
/// }
/// ```
///
/// The objects belong to the given context, or else to the main context of
/// ``ModelContainer/shared``. They are fetched when they are first read.
@propertyWrapper
public struct LiveQuery<Element: PersistentModel> {
  private let source: Source

  /// The descriptor of the objects, and the observer that has them.
  private final class Source {
    let descriptor: FetchDescriptor<Element>
    let context: ModelContext?
    var observer: ResultsObserver<Element, Never>?
    var error: (any Error)?

    init(_ descriptor: FetchDescriptor<Element>, _ context: ModelContext?) {
      self.descriptor = descriptor
      self.context = context
    }

    /// The observer, which is made when it is first needed.
    func current() -> ResultsObserver<Element, Never>? {
      if let observer { return observer }
      do {
        let context = try context ?? ModelContainer.sharedContext()
        observer = try ResultsObserver(descriptor, nil, context, nil)
        error = nil
      } catch {
        self.error = error
      }
      return observer
    }
  }

  /// Creates a query for the objects of a descriptor.
  public init(_ descriptor: FetchDescriptor<Element>, modelContext: ModelContext? = nil) {
    source = Source(descriptor, modelContext)
  }

  /// Creates a query of objects that satisfy a predicate.
  public init(
    filter: Predicate<Element>? = nil,
    sort: [SortDescriptor<Element>] = [],
    modelContext: ModelContext? = nil
  ) {
    self.init(FetchDescriptor(predicate: filter, sortBy: sort), modelContext: modelContext)
  }

  /// Creates a query of objects that satisfy a predicate, sorted by a property.
  public init<Value: Comparable>(
    filter: Predicate<Element>? = nil,
    sort keyPath: any KeyPath<Element, Value> & Sendable,
    order: SortOrder = .forward,
    modelContext: ModelContext? = nil
  ) {
    self.init(
      filter: filter,
      sort: [SortDescriptor(property: keyPath, order: order)],
      modelContext: modelContext
    )
  }

  /// Creates a query of objects that satisfy a predicate, sorted by a property that may be absent.
  public init<Value: Comparable>(
    filter: Predicate<Element>? = nil,
    sort keyPath: any KeyPath<Element, Value?> & Sendable,
    order: SortOrder = .forward,
    modelContext: ModelContext? = nil
  ) {
    self.init(
      filter: filter,
      sort: [SortDescriptor(property: keyPath, order: order)],
      modelContext: modelContext
    )
  }

  /// The objects; none if they can't be fetched.
  public var wrappedValue: [Element] { source.current().map { Array($0.results) } ?? [] }

  /// The query itself.
  public var projectedValue: LiveQuery { self }

  /// Why the last fetch has failed.
  public var fetchError: (any Error)? { source.current()?.fetchError ?? source.error }

  /// The context of the objects.
  public var modelContext: ModelContext? { source.current()?.modelContext ?? source.context }

  /// Fetches the objects anew.
  public func update() {
    guard let observer = source.current() else { return }
    observer.fetchDescriptor = source.descriptor
  }
}
