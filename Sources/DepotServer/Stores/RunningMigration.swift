internal import DepotEngine
internal import DepotProtocol

/// A custom stage of a migration: the old store, and a copy with the new schema.
///
/// Only the connection that began it sees either. It lives on the server's thread.
final class RunningMigration {
  enum Stage {
    case beginning
    /// The program works on the copy.
    case open
    case ending
  }

  /// The container whose store is migrated.
  let container: Container
  /// The old store, unchanged until the end.
  let host: StoreHost
  /// The number of the connection that began it.
  let owner: Int64
  /// The version before the migration.
  let version: SchemaVersion?
  var stage = Stage.beginning
  /// The copy, once there is one.
  var copy: StoreHost?
  private(set) var old: Container?
  private(set) var new: Container?

  init(_ container: Container, _ host: StoreHost, owner: Int64) {
    self.container = container
    self.host = host
    self.owner = owner
    version = host.catalog.schema.version
  }

  /// Makes both stores visible to the program.
  func open(_ copy: StoreHost) {
    let old = Container(
      name: container.name + MigrationRequest.oldSuffix,
      stores: [],
      hosts: [host],
      keeps: true,
      isView: true
    )
    let new = Container(
      name: container.name + MigrationRequest.newSuffix,
      stores: [],
      hosts: [copy],
      keeps: true
    )
    for side in [old, new] {
      side.state = .open
      side.refresh()
    }
    new.migration = self
    old.migration = self
    (self.old, self.new) = (old, new)
    stage = .open
  }

  /// Admits calls to the container again.
  func end() {
    container.migration = nil
    container.interruption = nil
    old?.migration = nil
    new?.migration = nil
    (old, new) = (nil, nil)
  }
}
