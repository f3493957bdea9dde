package import DepotProtocol

/// The resolution of a conflict about a row that a client wants to change or delete, and that
/// others may have changed since the client has read it.
///
/// It knows nothing of tables: it gets the result of a comparison, and returns the action to take.
package struct ConflictResolution: Hashable, Sendable {
  /// The relation of a stored property to the base value that the client has read.
  package enum Stored: Hashable, Sendable, CaseIterable {
    case unchanged
    case changed
    /// The client sent no base value.
    case unknown
  }

  /// A property, or all properties without a base value.
  @Memberwise
  package struct Property: Hashable, Sendable {
    /// Whether the client gives it a value.
    package var isWritten: Bool
    package var stored: Stored
  }

  /// The action to take about the row.
  package enum Action: Hashable, Sendable {
    /// The row is changed or deleted as the client wants.
    case proceed
    /// Nothing: the save fails.
    case refuse
    /// Only the properties at these positions are written.
    case write([Int])
    /// All of the client's values are written, including base values.
    case overwrite
    /// The client's change of the row is left out.
    case drop
    /// The deleted row is made again from all that the client has.
    case recreate
  }

  package var action: Action
  /// The reported conflict; `nil` if there is none.
  package var kind: SaveConflict.Kind?
  package var decision: SaveConflict.Decision?
  /// The positions of the properties that both sides have changed.
  package var contested: [Int] = []

  private static let none = ConflictResolution(action: .proceed)

  /// Decides about a row that the client changes; properties that merge by themselves are left out.
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

  /// Decides about a row that the client changes and that was deleted.
  package static func updateOfDeleted(_ policy: MergePolicy) -> Self {
    let (action, decision): (Action, SaveConflict.Decision?) =
      switch policy {
      case .error: (.refuse, nil)
      case .mergeByPropertyStoreTrump, .rollback: (.drop, .dropped)
      case .mergeByPropertyObjectTrump, .overwrite: (.recreate, .recreated)
      }
    return ConflictResolution(action: action, kind: .updateOfDeleted, decision: decision)
  }

  /// Decides about a row that the client deletes, whose version in the store is `nil` if others
  /// have deleted it.
  package static func deletion(
    storeVersion: Int64?,
    baseVersion: Int64,
    _ policy: MergePolicy
  ) -> Self {
    guard let storeVersion else { return ConflictResolution(action: .drop) }
    return storeVersion == baseVersion ? none : deletionOfUpdated(policy)
  }

  /// Decides about a row that the client deletes and others have changed.
  static func deletionOfUpdated(_ policy: MergePolicy) -> Self {
    let (action, decision): (Action, SaveConflict.Decision?) =
      switch policy {
      case .error: (.refuse, nil)
      case .mergeByPropertyStoreTrump, .rollback: (.drop, .dropped)
      case .mergeByPropertyObjectTrump, .overwrite: (.proceed, .client)
      }
    return ConflictResolution(action: action, kind: .deleteOfUpdated, decision: decision)
  }

  /// Decides about a row that is to get unique values which another row of the store has and keeps.
  ///
  /// Which of the two gives way is nobody's to guess, so an update is refused unless the store's
  /// values stay anyway. `properties` says of each that the client changes whether it must be
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
