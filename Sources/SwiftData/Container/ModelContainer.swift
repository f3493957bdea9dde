internal import Foundation
internal import Synchronization

/// The stores of a program's objects.
///
/// ```swift
/// let container = try ModelContainer(for: Trip.self)
/// ```
// because its state is immutable, except the main context, which belongs to the main actor, and
// the values behind a lock
public class ModelContainer: Equatable, @unchecked Sendable {
  let core: ContainerCore
  private let statedConfigurations = Mutex<Set<ModelConfiguration>?>(nil)
  @MainActor private var knownMainContext: ModelContext?

  /// Creates a container of stores that are open.
  init(_ core: ContainerCore) { self.core = core }

  public static func == (left: ModelContainer, right: ModelContainer) -> Bool {
    left.core === right.core
  }

  /// The schema of the container.
  public final var schema: Schema { core.schema }

  /// The migrations of older versions of the schema.
  public final var migrationPlan: (any SchemaMigrationPlan.Type)? { core.migrationPlan }

  /// The configurations of the stores that the service holds.
  ///
  /// The stores were opened when the container was created. Setting this property changes only its
  /// value: it opens, moves, and closes no store.
  public var configurations: Set<ModelConfiguration> {
    get {
      statedConfigurations.withLock(\.self) ?? core.configurations
    }
    set { statedConfigurations.withLock { $0 = newValue } }
  }

  /// The context of the main actor, which saves by itself.
  @MainActor public var mainContext: ModelContext {
    if let knownMainContext { return knownMainContext }
    let context = ModelContext(self)
    context.autosaveEnabled = true
    context.settle(at: .main)
    knownMainContext = context
    return context
  }
}

extension ModelContainer {
  /// The stores, in the order of the configurations.
  var stores: [StoreHandle] { core.stores }

  /// Returns the store that holds an entity; `nil` if the container doesn't know it.
  func store(of entity: String) -> StoreHandle? { stores.first { $0.entities.contains(entity) } }
}
