internal import DepotClient
internal import DepotEmbedded
internal import DepotProtocol
internal import Synchronization

/// One store of a container.
@Memberwise("kind")
final class StoreHandle: Sendable {
  let kind: Kind
  /// The identifier of the store, the same in every process.
  let identifier: String
  /// The names of the entities that it holds.
  let entities: Set<String>
  /// Whether it may be changed.
  let allowsSave: Bool
  /// The name of its configuration.
  let name: String
  /// The connections that contexts use, one context at a time.
  let connections = ConnectionPool()
  private let knownObserver = Mutex<OperationObserver?>(nil)

  /// The owner of the rows.
  enum Kind: Sendable {
    /// A service.
    case depot(StoreAccess)
    /// The program itself.
    case custom
    /// A service, in a stage of a migration.
    case migrating(MigrationSide)
  }

  /// Whether a service keeps the rows that others can change too.
  var isShared: Bool {
    if case .depot = kind { return true }
    return false
  }

  /// Whether it is the store of a stage of a migration.
  var isMigrating: Bool {
    if case .migrating = kind { return true }
    return false
  }

  /// The function called after each operation; connections taken from now on use it.
  var observer: OperationObserver? {
    get { knownObserver.withLock(\.self) }
    set { knownObserver.withLock { $0 = newValue } }
  }

  /// Connects to the store's service; blocks.
  ///
  /// - Throws: ``SwiftDataError/storeFailure`` if nothing answers.
  func connect() throws -> BlockingConnection {
    switch kind {
    case .depot(let access):
      do {
        let connection = try access.connect()
        connection.observer = observer
        return connection
      } catch {
        throw SwiftDataError(error)
      }
    case .custom:
      throw SwiftDataError(.storeFailure, "The store \"\(name)\" is the program's own.")
    case .migrating(let side): return try side.connect()
    }
  }
}
