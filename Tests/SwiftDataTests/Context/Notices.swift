import Foundation
import SwiftData
import Synchronization

/// What a context says of its saves.
final class Notices: Sendable {
  private struct State {
    var inserted: [PersistentIdentifier] = []
    var updated: [PersistentIdentifier] = []
    var deleted: [PersistentIdentifier] = []
    var count = 0
    var conflicts: [SaveConflict] = []
  }

  private let state = Mutex(State())
  private let observer: Observer

  /// Begins to listen.
  init(of context: ModelContext) {
    let box = Box()
    observer = Observer(
      token: NotificationCenter.default.addObserver(
        forName: ModelContext.didSave,
        object: context,
        queue: nil
      ) { notice in
        func identifiers(_ key: ModelContext.NotificationKey) -> [PersistentIdentifier] {
          notice.userInfo?[key] as? [PersistentIdentifier] ?? []
        }
        box.notices?.state.withLock { state in
          state.count += 1
          state.inserted += identifiers(.insertedIdentifiers)
          state.updated += identifiers(.updatedIdentifiers)
          state.deleted += identifiers(.deletedIdentifiers)
          state.conflicts += notice.userInfo?["conflicts"] as? [SaveConflict] ?? []
        }
      }
    )
    box.notices = self
  }

  deinit { NotificationCenter.default.removeObserver(observer.token) }

  /// How many saves there were.
  var count: Int { state.withLock(\.count) }
  var inserted: Set<PersistentIdentifier> { Set(state.withLock(\.inserted)) }
  var updated: Set<PersistentIdentifier> { Set(state.withLock(\.updated)) }
  var deleted: Set<PersistentIdentifier> { Set(state.withLock(\.deleted)) }
  /// The conflicts that the context has won.
  var conflicts: [SaveConflict] { state.withLock(\.conflicts) }

  // because the notification centre may be called from any thread
  private struct Observer: @unchecked Sendable {
    let token: any NSObjectProtocol
  }

  // because it is set once, before there are notifications
  private final class Box: @unchecked Sendable {
    weak var notices: Notices?
  }
}
