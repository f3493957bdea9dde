internal import DepotProtocol

/// The conflicts of one save, up to a limit.
struct ConflictList {
  /// The most conflicts in the list.
  static let limit = 1000
  /// The most bytes of the conflicts' text.
  static let byteLimit = 4 << 20

  private(set) var conflicts: [RowConflict] = []
  /// The number of conflicts that aren't in the list.
  private(set) var more = 0
  private var byteCount = 0

  var isEmpty: Bool { conflicts.isEmpty && more == 0 }
  /// Whether another conflict can be added.
  var hasRoom: Bool { conflicts.count < Self.limit && byteCount < Self.byteLimit }

  mutating func add(_ conflict: @autoclosure () throws -> RowConflict) rethrows {
    guard hasRoom else {
      more += 1
      return
    }
    var conflict = try conflict()
    conflict.shorten()
    byteCount += conflict.textByteCount
    conflicts.append(conflict)
  }

  /// Counts a conflict that isn't in the list.
  mutating func count() { more += 1 }

  /// The error for a refused save, with the list in its details.
  ///
  /// It is `unique` if the only conflicts are about unique values of other rows.
  func error(unique: DepotError?) -> DepotError? {
    guard let first = conflicts.first else { return nil }
    let kinds = Set(conflicts.map(\.kind))
    var error: DepotError
    if kinds == [.unique], let unique {
      error = unique
    } else if kinds.contains(.read) {
      error = DepotError(.read, first.sentence)
        .hint("Read the rows again and decide anew.")
    } else {
      error = DepotError(.merge, first.sentence)
        .hint("Merge the changes and save again with the store's version, or choose a policy.")
    }
    let count = conflicts.count + more
    if count > 1 { error.message = "There are \(count) conflicts. The first: \(error.message)" }
    return error.at(first.pointer).detail(conflicts: conflicts)
      .detail("more", more > 0 ? Int64(more) : nil)
  }
}

extension RowConflict {
  /// A sentence for users about the conflict.
  fileprivate var sentence: String {
    let name = "\(facts.entity)/\(facts.identifier)"
    return switch facts.kind {
    case .unique:
      "\(facts.entity)/\(facts.existing ?? facts.identifier) has the same unique values."
    case .read, .update, .updateOfDeleted, .deleteOfUpdated:
      "\(name) was \(facts.storeVersion == nil ? "deleted" : "changed") since it was read."
    }
  }
}
