internal import DepotProtocol
internal import DepotSQLite

/// The deletion of rows together with the rows that delete rules delete.
///
/// A rule finds its rows by an index, never by a full scan.
@Memberwise("session")
final class Deletion {
  private let session: ChangeSession
  /// The rows with the writers of their entities, in the order of discovery.
  private var rows: [(writer: EntityWriter, identifier: Int64)] = []
  /// The number of rows that are already removed from their tables.
  private var detachedCount = 0
  /// The identifiers of the rows, by table.
  private var members: [String: Set<Int64>] = [:]
  /// The destinations of to-one relationships of rows that are already removed.
  private var detached: [String: [Int64: [(link: RelationshipLink, target: Int64)]]] = [:]

  private var entities: EntityWriters { session.entities }
  private var connection: Connection { session.connection }

  /// Adds rows of an entity; returns the missing ones.
  func add(_ identifiers: [Int64], of layout: EntityLayout) throws -> [Int64] {
    var missing: [Int64] = []
    let writer = try entities.writer(layout.name)
    for (index, identifier) in identifiers.enumerated() {
      if index & 63 == 0 { try session.control.check() }
      if try !add(identifier, of: writer) { missing.append(identifier) }
    }
    return missing
  }

  /// Adds a row if it exists and wasn't added yet; returns whether it exists.
  private func add(_ identifier: Int64, of writer: EntityWriter) throws -> Bool {
    let root = writer.layout.root
    if members[root]?.contains(identifier) == true { return true }
    guard let own = try ownWriter(of: identifier, writer) else { return false }
    members[root, default: []].insert(identifier)
    rows.append((own, identifier))
    return true
  }

  /// Returns the writer of a row's own entity, which may be a subentity; `nil` if there is no row.
  private func ownWriter(of identifier: Int64, _ writer: EntityWriter) throws -> EntityWriter? {
    let layout = writer.layout
    guard try writer.isThere(identifier) else { return nil }
    guard layout.isInHierarchy, layout.numbers.count > 1 else { return writer }
    let kind = try connection.integer(
      "SELECT kind FROM \(layout.table) WHERE id = ?1",
      [.integer(identifier)]
    )
    return try kind.flatMap { layout.numbers[Int($0)] }.map(entities.writer) ?? writer
  }

  /// Calls `body` with each row from `first` on, and its relationships; `body` may add rows.
  private func forEachRow(
    from first: Int = 0,
    _ body: (EntityWriter, Int64, [RelationshipLink]) throws -> Void
  ) throws {
    var next = first
    var current: (writer: EntityWriter, links: [RelationshipLink])?
    while next < rows.count {
      if next & 63 == 0 { try session.control.check() }
      let (writer, identifier) = rows[next]
      next += 1
      if current?.writer !== writer { current = (writer, try entities.links(of: writer.layout)) }
      try body(writer, identifier, current?.links ?? [])
    }
  }

  /// Removes the rows from their tables before the rest of the request.
  ///
  /// So their unique values become free.
  func detach() throws {
    try forEachRow { writer, identifier, _ in
      let targets = try writer.targets(of: identifier)
      if !targets.isEmpty { detached[writer.layout.root, default: [:]][identifier] = targets }
      try remove(identifier, writer)
    }
    detachedCount = rows.count
  }

  /// Deletes the rows; returns their final number.
  func run() throws -> Int {
    let count = rows.count
    try addCascades()
    if session.isUndo { try refuseCascades(beyond: count) }
    // If a rule forbids the deletion, dangling references needn't be reported too.
    if try areDenied() {
      try excuse()
      return 0
    }
    try forEachRow { writer, identifier, links in
      try clearReferences(to: identifier, writer.layout, links)
    }
    try forEachRow(from: detachedCount) { writer, identifier, _ in
      try remove(identifier, writer)
    }
    return rows.count
  }

  /// Removes violations that the deletion would have caused in other rows, since it doesn't happen.
  private func excuse() throws {
    for (writer, identifier) in rows {
      session.deferredValues?.excuse(identifier, writer.layout)
      for (link, target) in detached[writer.layout.root]?[identifier] ?? [] {
        if let inverse = try entities.inverse(of: link) { session.overlook(inverse, of: target) }
      }
    }
  }

  /// The rows of an entity's table, in the order of discovery.
  func identifiers(of layout: EntityLayout) -> [Int64] {
    rows.filter { $0.writer.layout.root == layout.root }.map(\.identifier)
  }

  private func remove(_ identifier: Int64, _ writer: EntityWriter) throws {
    try writer.deletion.bind(identifier, at: 1)
    try writer.deletion.runBound()
    try entities.recorder?.spill()
  }

  private func isDeleted(_ identifier: Int64, _ layout: EntityLayout) -> Bool {
    members[layout.root]?.contains(identifier) ?? false
  }

  /// Reports that rows would be deleted that the request doesn't name.
  private func refuseCascades(beyond count: Int) throws {
    guard rows.count > count else { return }
    let (layout, identifier) = (rows[count].writer.layout, rows[count].identifier)
    let others = rows.count - count > 1 ? " and \(rows.count - count - 1) more" : ""
    throw DepotError(
      .denied,
      "\(layout.name)/\(identifier)\(others) would be deleted with the named rows."
    )
    .hint("Change their relationships, delete them, or undo their insertions first.")
    .details(["entity": .string(layout.name), "id": .int64(identifier)])
  }

  private func addCascades() throws {
    try forEachRow { _, identifier, links in
      for link in links where link.relationship.deleteRule == .cascade {
        let destination = try entities.writer(link.destination.name)
        for target in try targets(link, of: identifier) { _ = try add(target, of: destination) }
      }
    }
  }

  /// Reports the rows that forbid the deletion; returns whether there are any.
  private func areDenied() throws -> Bool {
    var isDenied = false
    try forEachRow { writer, identifier, links in
      for link in links where link.relationship.deleteRule == .deny {
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
            "\(writer.layout.name)/\(identifier) can't be deleted: its \(link.layout.name) leads to \(names)."
          ).hint("Delete them in the same request, or let it lead to nothing first.")
            .details(entity: writer.layout.name, attribute: link.layout.name)
            .detail("id", identifier).detail("rows", Array(others.prefix(100)))
        )
      }
    }
    return isDenied
  }

  /// Returns the destinations of a row's relationship.
  private func targets(_ link: RelationshipLink, of identifier: Int64) throws -> [Int64] {
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

  /// Removes a row from the relationships of the remaining rows.
  private func clearReferences(
    to identifier: Int64,
    _ layout: EntityLayout,
    _ links: [RelationshipLink]
  ) throws {
    let incoming = try entities.incoming(layout)
    guard !links.isEmpty || !incoming.isEmpty else { return }
    let name = "\(layout.name)/\(identifier)"
    for link in links {
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
    for link in incoming {
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
    _ link: RelationshipLink,
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
