internal import DepotProtocol

/// The conflicts of one save, up to a limit.
struct ConflictList {
  /// The most conflicts in the list.
  static let limit = 1000
  /// The most bytes of the conflicts' JSON.
  static let byteLimit = 4 << 20
  /// The size up to which values are included, in bytes; larger ones are replaced by their length.
  static let valueByteLimit = 64 << 10

  private(set) var conflicts: [SaveConflict] = []
  /// The number of conflicts that aren't in the list.
  private(set) var more = 0
  private var byteCount = 0

  var isEmpty: Bool { conflicts.isEmpty && more == 0 }
  /// Whether another conflict can be added.
  var hasRoom: Bool { conflicts.count < Self.limit && byteCount < Self.byteLimit }

  mutating func add(_ conflict: @autoclosure () throws -> SaveConflict) rethrows {
    guard hasRoom else {
      more += 1
      return
    }
    var conflict = try conflict()
    conflict.base = conflict.base.mapValues(Self.shortened)
    conflict.store = conflict.store.mapValues(Self.shortened)
    conflict.client = conflict.client.mapValues(Self.shortened)
    byteCount += conflict.json.text.utf8.count
    conflicts.append(conflict)
  }

  /// Counts a conflict that isn't in the list.
  mutating func count() { more += 1 }

  private static func shortened(_ value: JSONValue) -> JSONValue {
    let count =
      switch value {
      case .string(let text): text.utf8.count
      case .array, .object: value.text.utf8.count
      default: 0
      }
    guard count > valueByteLimit else { return value }
    return .object(["$length": .int64(Int64(count))])
  }

  /// The list, in the form of answers and of error details.
  var members: [String: JSONValue] {
    var members: [String: JSONValue] = ["conflicts": .array(conflicts.map(\.json))]
    if more > 0 { members["more"] = .int64(Int64(more)) }
    return members
  }

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
    let details = (error.details?.object ?? [:]).merging(members) { $1 }
    return error.at(first.pointer).details(details)
  }
}

extension SaveConflict {
  /// A sentence for users about the conflict.
  fileprivate var sentence: String {
    let name = "\(entity)/\(identifier)"
    return switch kind {
    case .unique: "\(entity)/\(existing ?? identifier) has the same unique values."
    case .read, .update, .updateOfDeleted, .deleteOfUpdated:
      "\(name) was \(storeVersion == nil ? "deleted" : "changed") since it was read."
    }
  }
}
