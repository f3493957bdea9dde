internal import DepotProtocol

/// The rows that prevent a migration, up to a limit.
struct MigrationFindings {
  /// The most reported groups of duplicates, and the most other rows.
  static let limit = 100

  private(set) var duplicates: [Duplicate] = []
  private(set) var violations: [DepotError] = []
  private var more = 0

  /// Rows with the same values, where values must be unique.
  struct Duplicate {
    var entity: String
    var paths: [String]
    var values: [Value]
    /// The identifiers of the first rows.
    var identifiers: [Int64]
    var count: Int
  }

  var isEmpty: Bool { duplicates.isEmpty && violations.isEmpty }

  mutating func add(_ duplicate: Duplicate) {
    if duplicates.count < Self.limit { duplicates.append(duplicate) } else { more += 1 }
  }

  /// Counts rows that aren't reported.
  mutating func count(_ others: Int) { more += others }

  /// Adds a row that breaks a rule of the new schema.
  mutating func add(
    _ code: DepotError.Code,
    _ entity: String,
    _ identifier: Int64,
    _ path: String,
    _ message: String
  ) {
    guard violations.count < Self.limit else {
      more += 1
      return
    }
    violations.append(
      DepotError(code, message).details(entity: entity, attribute: path).detail("id", identifier)
    )
  }

  func throwIfAny() throws(DepotError) {
    guard !isEmpty else { return }
    let first = violations.first?.message ?? duplicates.first?.message ?? ""
    let count = duplicates.count + violations.count + more
    throw DepotError(.rowsInTheWay, "Rows break rules of the new schema. The first: \(first)")
      .hint("Nothing was changed. Change the rows that the details list, or migrate in a stage.")
      .detail("count", Int64(count)).detail(violations: violations)
      .detail(duplicates: duplicates)
  }
}

extension MigrationFindings.Duplicate {
  fileprivate var message: String {
    let rows = identifiers.prefix(3).map { "\(entity)/\($0)" }.joined(separator: ", ")
    return "\(rows) have the same \(paths.joined(separator: ", "))."
  }
}
