internal import DepotProtocol

/// The state of the undo of a large transaction in parts.
///
/// All parts are searched for conflicts before any of them is written. So a part is compared with
/// rows that no other part has changed.
final class UndoParts {
  /// Whether conflicts are searched, and not yet written.
  var isSearching = true
  /// The rows to insert again.
  var returning = ReturningRows()
  /// The rows to delete, by their own entity.
  private(set) var deletions: [String: [Int64]] = [:]
  /// The rows to delete, by root.
  private var deleted: [String: IdentifierRanges] = [:]
  /// The properties of rows that keep their current values by the policy; `nil` for whole rows.
  private var keptProperties: [Inverse.Key: Set<String>?] = [:]

  /// Adds the rows that a part deletes.
  func add(_ deletions: [(key: Inverse.Key, entity: String)]) {
    for (key, entity) in deletions {
      self.deletions[entity, default: []].append(key.identifier)
      deleted[key.root, default: IdentifierRanges()].append(key.identifier)
    }
  }

  /// Whether a row is to be deleted.
  func deletes(_ key: Inverse.Key) -> Bool {
    deleted[key.root]?.contains(key.identifier) ?? false
  }

  /// Keeps the current values of a row's properties, or the whole row.
  func keep(_ key: Inverse.Key, _ properties: [String]? = nil) {
    keptProperties[key] = .some(properties.map { Set($0) })
  }

  /// Returns the properties of a row that keep their current values; `nil` for the whole row.
  func kept(_ key: Inverse.Key) -> Set<String>? { keptProperties[key, default: []] }
}
