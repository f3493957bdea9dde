internal import DepotProtocol
internal import DepotSQLite

/// The numbers added to identifiers of rows whose hierarchy is merged into another one.
///
/// Identifiers are unique within a hierarchy, so rows of two hierarchies may have the same. All
/// identifiers of a merged hierarchy are then increased by one number beyond all that the other
/// ever had; otherwise they stay.
struct IdentifierShifts {
  private struct Way: Hashable {
    var old: String
    var new: String
  }

  private var shifts: [Way: Int64] = [:]
  /// The old root entities whose rows each new root entity gets.
  private(set) var feeders: [String: [String]] = [:]

  init(from old: Catalog, _ mapping: MigrationMapping, on connection: Connection) throws {
    for entity in mapping.new.entities {
      guard let origin = mapping.origin(of: entity.name), !origin.isAbstract else { continue }
      let (before, after) = (mapping.old.root(of: origin).name, mapping.new.root(of: entity).name)
      if feeders[after]?.contains(before) != true { feeders[after, default: []].append(before) }
    }
    let ceilings = try CatalogTables(connection: connection).ceilings()
    for (root, names) in feeders where names.count > 1 {
      // The hierarchy that contained the root keeps its identifiers.
      let first = mapping.origin(of: root).map { mapping.old.root(of: $0).name }
      let order = names.sorted { ($0 != first ? 1 : 0, $0) < ($1 != first ? 1 : 0, $1) }
      feeders[root] = order
      try add(order, to: root, old, ceilings, connection)
    }
  }

  private mutating func add(
    _ names: [String],
    to root: String,
    _ old: Catalog,
    _ ceilings: [String: Int64],
    _ connection: Connection
  ) throws {
    var next: Int64 = 0
    var isShifting = false
    for (index, name) in names.enumerated() {
      let table = try old.layout(of: name).table
      for other in names[..<index] where !isShifting {
        let clash = try connection.integer(
          "SELECT EXISTS (SELECT 1 FROM \(table) JOIN \(old.layout(of: other).table) USING (id))"
        )
        isShifting = clash == 1
      }
      let shift = isShifting ? next : 0
      let last = try connection.integer("SELECT max(id) FROM \(table)") ?? 0
      let (sum, overflows) = shift.addingReportingOverflow(max(last, ceilings[name] ?? 0))
      guard !overflows else {
        throw DepotError(.mismatch, "\(name) can't come to \(root): the identifiers are used up.")
          .hint("Export the rows, and import them into a new store.").at("/args/schema")
      }
      next = max(next, sum)
      if shift > 0 { shifts[Way(old: name, new: root)] = shift }
    }
  }

  /// Returns the number to add to identifiers of rows that move between root entities.
  func shift(from old: String, to new: String) -> Int64 { shifts[Way(old: old, new: new)] ?? 0 }

  /// Returns the old identifier of a row in a new table.
  func original(_ identifier: Int64, in root: String) -> Int64 {
    let passed = shifts.filter { $0.key.new == root && identifier > $0.value }.map(\.value)
    return identifier - (passed.max() ?? 0)
  }

  /// The shifts as text.
  var changes: [String] {
    shifts.sorted { ($0.key.new, $0.value) < ($1.key.new, $1.value) }.map {
      "added \($0.value) to the identifiers of \($0.key.old), now under \($0.key.new)"
    }
  }
}
