internal import DepotProtocol
internal import DepotSQLite

/// The deletion of rows with all that their relationships' delete rules take along.
///
/// A rule finds its rows by an index, never by looking at all of them.
@Memberwise("session")
final class Deletion {
  private let session: ChangeSession
  /// The rows, with the entities that they are of, in the order in which they were found.
  private var rows: [(layout: EntityLayout, identifier: Int64)] = []
  /// Their identifiers, by their tables.
  private var members: [String: Set<Int64>] = [:]
  /// The former destinations of to-one relationships of rows that aren't in their tables any more.
  private var detached: [String: [Int64: [(link: Link, target: Int64)]]] = [:]

  private var entities: EntityWriters { session.entities }
  private var connection: Connection { session.connection }

  /// Adds rows of an entity; returns those that don't exist.
  func add(_ identifiers: [Int64], of layout: EntityLayout) throws -> [Int64] {
    var missing: [Int64] = []
    for (index, identifier) in identifiers.enumerated() {
      if index & 63 == 0 { try session.control.check() }
      if try !add(identifier, of: layout) { missing.append(identifier) }
    }
    return missing
  }

  /// Adds a row if it exists and isn't among them; returns whether it exists.
  private func add(_ identifier: Int64, of layout: EntityLayout) throws -> Bool {
    if members[layout.root]?.contains(identifier) == true { return true }
    guard let entity = try entity(of: identifier, layout) else { return false }
    members[layout.root, default: []].insert(identifier)
    rows.append((entity, identifier))
    return true
  }

  private func entity(of identifier: Int64, _ layout: EntityLayout) throws -> EntityLayout? {
    guard try session.exists(identifier, layout) else { return nil }
    guard layout.isInHierarchy, layout.numbers.count > 1 else { return layout }
    let kind = try connection.integer(
      "SELECT kind FROM \(layout.table) WHERE id = ?1",
      [.integer(identifier)]
    )
    return try entities.catalog.layout(of: kind.flatMap { layout.numbers[Int($0)] } ?? layout.name)
  }

  /// Takes the rows out of their tables before the rest of the request, so that their unique values are
  /// free.
  func detach() throws {
    for (layout, identifier) in rows {
      var targets: [(link: Link, target: Int64)] = []
      for link in try entities.links(of: layout) {
        guard case .column(let column) = link.storage,
          let target = try connection.target(of: identifier, in: column)
        else { continue }
        targets.append((link, target))
      }
      if !targets.isEmpty { detached[layout.root, default: [:]][identifier] = targets }
      try remove(layout, identifier)
    }
  }

  /// Deletes the rows; returns how many there were in the end.
  func run() throws -> Int {
    let count = rows.count
    try addCascades()
    if session.isUndo { try refuseCascades(beyond: count) }
    // A reference to nothing isn't worth telling beside the rule that forbids the deletion.
    if try areDenied() {
      try excuse()
      return 0
    }
    for (index, row) in rows.enumerated() {
      if index & 63 == 0 { try session.control.check() }
      try clearReferences(to: row.identifier, row.layout)
    }
    for (layout, identifier) in rows { try remove(layout, identifier) }
    return rows.count
  }

  /// Leaves out what other rows lack only because of these, which stay after all.
  private func excuse() throws {
    for (layout, identifier) in rows {
      session.displaced?.excuse(identifier, layout)
      for (link, target) in detached[layout.root]?[identifier] ?? [] {
        if let inverse = try entities.inverse(of: link) { session.overlook(inverse, of: target) }
      }
    }
  }

  /// The rows of an entity's table, in the order in which they were found.
  func identifiers(of layout: EntityLayout) -> [Int64] {
    rows.filter { $0.layout.root == layout.root }.map(\.identifier)
  }

  private func remove(_ layout: EntityLayout, _ identifier: Int64) throws {
    let statement = try entities.writer(layout.name).deletion
    try statement.bind(identifier, at: 1)
    try statement.runBound()
    try entities.recorder?.spill()
  }

  private func isDeleted(_ identifier: Int64, _ layout: EntityLayout) -> Bool {
    members[layout.root]?.contains(identifier) ?? false
  }

  /// Notes that rows would be deleted which nobody named.
  private func refuseCascades(beyond count: Int) throws {
    guard rows.count > count else { return }
    let (layout, identifier) = rows[count]
    let others = rows.count - count > 1 ? " and \(rows.count - count - 1) more" : ""
    throw DepotError(
      .denied,
      "\(layout.name)/\(identifier)\(others) would be deleted with what leads to them."
    )
    .hint("Let them lead elsewhere, delete them, or undo what inserted them first.")
    .details(["entity": .string(layout.name), "id": .int64(identifier)])
  }

  private func addCascades() throws {
    var next = 0
    while next < rows.count {
      if next & 63 == 0 { try session.control.check() }
      let (layout, identifier) = rows[next]
      next += 1
      for link in try entities.links(of: layout) where link.relationship.deleteRule == .cascade {
        for target in try targets(link, of: identifier) {
          _ = try add(target, of: link.destination)
        }
      }
    }
  }

  /// Notes what forbids the deletion; returns whether something does.
  private func areDenied() throws -> Bool {
    var isDenied = false
    for (layout, identifier) in rows {
      for link in try entities.links(of: layout) where link.relationship.deleteRule == .deny {
        let others = try targets(link, of: identifier).filter { target in
          try !isDeleted(target, link.destination) && session.exists(target, link.destination)
        }
        guard !others.isEmpty else { continue }
        isDenied = true
        let names =
          others.prefix(3).map { "\(link.destination.name)/\($0)" }
          .joined(separator: ", ") + (others.count > 3 ? " and \(others.count - 3) more" : "")
        try session.violate(
          DepotError(
            .denied,
            "\(layout.name)/\(identifier) can't be deleted: its \(link.layout.name) leads to \(names)."
          ).hint("Delete them in the same request, or let it lead to nothing first.").details([
            "entity": .string(layout.name), "attribute": .string(link.layout.name),
            "id": .int64(identifier), "rows": .array(others.prefix(100).map(JSONValue.int64)),
          ])
        )
      }
    }
    return isDenied
  }

  /// Returns what a row leads to.
  private func targets(_ link: Link, of identifier: Int64) throws -> [Int64] {
    switch link.storage {
    case .column(let column):
      if let kept = detached[column.root.name]?[identifier] {
        return kept.filter { $0.link === link }.map(\.target)
      }
      return try connection.target(of: identifier, in: column).map { [$0] } ?? []
    case .foreign(let column):
      return try connection.rows(with: column, identifier).map(\.identifier)
    case .join(let table):
      return try table.members(of: identifier, on: link.side).map(\.identifier)
    }
  }

  /// Makes the rows that stay forget a row.
  private func clearReferences(to identifier: Int64, _ layout: EntityLayout) throws {
    let name = "\(layout.name)/\(identifier)"
    for link in try entities.links(of: layout) {
      let keeps = link.relationship.deleteRule == .noAction
      switch link.storage {
      case .column(let column):
        if link.isSymmetric {
          if !keeps { try forget(link, column, identifier, name) }
        } else if let inverse = try entities.inverse(of: link), inverse.isLimited {
          for target in try targets(link, of: identifier) where !isDeleted(target, link.destination)
          {
            session.look(at: inverse, of: target, because: .deletion(of: name))
          }
        }
      case .foreign(let column):
        guard !keeps, let back = try entities.inverse(of: link) else { continue }
        try forget(back, column, identifier, name)
      case .join(let table):
        let inverse = try entities.inverse(of: link)
        if keeps, inverse != nil { continue }
        if let inverse, inverse.isLimited {
          for target in try table.members(of: identifier, on: link.side) {
            session.look(at: inverse, of: target.identifier, because: .deletion(of: name))
          }
        }
        try table.deleteAll(identifier, on: link.side)
        if link.isSymmetric { try table.deleteAll(identifier, on: link.side.other) }
      }
    }
    for link in try entities.incoming(layout) {
      switch link.storage {
      case .column(let column): try forget(link, column, identifier, name)
      case .foreign: break
      case .join(let table):
        if link.isLimited {
          for source in try table.members(of: identifier, on: link.side.other) {
            session.look(at: link, of: source.identifier, because: .deletion(of: name))
          }
        }
        try table.deleteAll(identifier, on: link.side.other)
      }
    }
  }

  private func forget(
    _ link: Link,
    _ column: ReferenceColumn,
    _ identifier: Int64,
    _ name: String
  ) throws {
    for row in try connection.rows(with: column, identifier)
    where !isDeleted(row.identifier, column.root) {
      try session.setReference(
        link,
        column,
        of: row.identifier,
        to: nil,
        because: .deletion(of: name)
      )
    }
  }
}
