package import DepotProtocol

/// The resolution of a conflict about a row that a client changes or deletes.
///
/// Others may have changed the row since the client read it. It doesn't access tables: it gets the
/// result of a comparison, and returns the action to take.
package struct ConflictResolution: Hashable, Sendable {
  /// The stored value of a property, compared with the base value that the client has read.
  package enum Stored: Hashable, Sendable, CaseIterable {
    case unchanged
    case changed
    /// The client sent no base value.
    case unknown
  }

  /// A property, or all properties without a base value.
  @Memberwise
  package struct Property: Hashable, Sendable {
    /// Whether the client sets it.
    package var isWritten: Bool
    package var stored: Stored
  }

  /// The action to take for the row.
  package enum Action: Hashable, Sendable {
    /// Change or delete the row as requested.
    case proceed
    /// Reject the save.
    case refuse
    /// Write only the properties at these positions.
    case write([Int])
    /// Write all of the client's values, including base values.
    case overwrite
    /// Ignore the client's change of the row.
    case drop
    /// Insert the deleted row again with all of the client's values.
    case recreate
  }

  package var action: Action
  /// The reported conflict; `nil` if there is none.
  package var kind: SaveConflict.Kind?
  package var decision: SaveConflict.Decision?
  /// The positions of the properties that both sides have changed.
  package var contested: [Int] = []

  private static let none = ConflictResolution(action: .proceed)

  /// Decides about a row that the client changes; automatically merging properties are excluded.
  package static func update(_ properties: [Property], _ policy: MergePolicy) -> Self {
    let written = properties.indices.filter { properties[$0].isWritten }
    guard !written.isEmpty, properties.contains(where: { $0.stored != .unchanged }) else {
      return none
    }
    let contested = written.filter { properties[$0].stored != .unchanged }
    let free = written.filter { properties[$0].stored == .unchanged }
    let (action, decision): (Action, SaveConflict.Decision?) =
      switch policy {
      case .error: (.refuse, nil)
      case .rollback: (.drop, .store)
      case .overwrite: (.overwrite, .client)
      case .mergeByPropertyStoreTrump:
        contested.isEmpty
          ? (.proceed, .merged) : (.write(free), free.isEmpty ? .store : .merged)
      case .mergeByPropertyObjectTrump: (.proceed, contested.isEmpty ? .merged : .client)
      }
    return ConflictResolution(
      action: action,
      kind: .update,
      decision: decision,
      contested: contested
    )
  }

  /// Decides about a deleted row that the client changes.
  package static func updateOfDeleted(_ policy: MergePolicy) -> Self {
    let (action, decision): (Action, SaveConflict.Decision?) =
      switch policy {
      case .error: (.refuse, nil)
      case .mergeByPropertyStoreTrump, .rollback: (.drop, .dropped)
      case .mergeByPropertyObjectTrump, .overwrite: (.recreate, .recreated)
      }
    return ConflictResolution(action: action, kind: .updateOfDeleted, decision: decision)
  }

  /// Decides about a row that the client deletes.
  ///
  /// The version in the store is `nil` if the row was already deleted.
  package static func deletion(
    storeVersion: Int64?,
    baseVersion: Int64,
    _ policy: MergePolicy
  ) -> Self {
    guard let storeVersion else { return ConflictResolution(action: .drop) }
    return storeVersion == baseVersion ? none : deletionOfUpdated(policy)
  }

  /// Decides about a row that the client deletes and that others have changed.
  static func deletionOfUpdated(_ policy: MergePolicy) -> Self {
    let (action, decision): (Action, SaveConflict.Decision?) =
      switch policy {
      case .error: (.refuse, nil)
      case .mergeByPropertyStoreTrump, .rollback: (.drop, .dropped)
      case .mergeByPropertyObjectTrump, .overwrite: (.proceed, .client)
      }
    return ConflictResolution(action: action, kind: .deleteOfUpdated, decision: decision)
  }

  /// Decides about a row whose new unique values are those of another stored row, which keeps them.
  ///
  /// Nothing says which of the two rows should lose them, so an update is rejected unless the
  /// store's values win anyway. For each property that the client sets, `properties` has whether it
  /// must be unique; it is `nil` for an inserted row.
  /// unique; it is `nil` of a row that is inserted.
  package static func clash(_ properties: [Bool]?, _ policy: MergePolicy) -> Self {
    let contested = properties?.indices.filter { properties?[$0] == true } ?? []
    let free = properties?.indices.filter { properties?[$0] == false } ?? []
    let (action, decision): (Action, SaveConflict.Decision?) =
      switch policy {
      case .error: (.refuse, nil)
      case .rollback: (.drop, .dropped)
      case .mergeByPropertyStoreTrump:
        properties == nil ? (.drop, .store) : (.write(free), free.isEmpty ? .store : .merged)
      case .mergeByPropertyObjectTrump:
        properties == nil ? (.proceed, .client) : (.refuse, nil)
      case .overwrite: properties == nil ? (.overwrite, .client) : (.refuse, nil)
      }
    return ConflictResolution(
      action: action,
      kind: .unique,
      decision: decision,
      contested: contested
    )
  }
}
