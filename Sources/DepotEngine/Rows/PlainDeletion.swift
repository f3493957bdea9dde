internal import DepotProtocol
internal import DepotSQLite

/// The deletion of rows that no other row depends on, so that none needs to be read.
struct PlainDeletion {
  private let session: ChangeSession
  private let layout: EntityLayout

  /// Prepares the deletion; `nil` if a row of the entity or a descendant may affect others.
  init?(_ session: ChangeSession, of layout: EntityLayout) throws {
    self.session = session
    self.layout = layout
    let entities = session.entities
    for name in layout.numbers.values {
      let layout = try entities.catalog.layout(of: name)
      guard try entities.incoming(layout).isEmpty else { return nil }
      for link in try entities.links(of: layout) {
        guard case .column = link.storage, !link.isSymmetric,
          link.relationship.deleteRule != .cascade, link.relationship.deleteRule != .deny,
          try entities.inverse(of: link)?.isLimited != true
        else { return nil }
      }
    }
  }

  /// Deletes every row of a table; returns the number of rows.
  func deleteAll() throws -> Int {
    let recorder = session.entities.recorder
    if try recorder?.truncate(layout) ?? false { return session.connection.changeCount }
    // The recorded change has the same size for any table.
    let boundary = try session.connection.statement(
      "SELECT id FROM \(layout.table) ORDER BY id LIMIT 1 OFFSET 1000"
    )
    let deletion = try session.connection.statement("DELETE FROM \(layout.table) WHERE id < ?1")
    var count = 0
    while true {
      try session.control.check()
      let next = try boundary.first { $0.integer(0) }
      if let next {
        try deletion.bind(next, at: 1)
        try deletion.runBound()
      } else {
        try session.connection.execute("DELETE FROM \(layout.table)")
      }
      count += session.connection.changeCount
      try recorder?.spill()
      if next == nil { return count }
    }
  }

  /// Deletes rows; returns the missing ones.
  func delete(_ identifiers: [Int64]) throws -> [Int64] {
    let statement = try session.connection.statement(
      "DELETE FROM \(layout.table) WHERE id = ?1\(layout.kindFilter())"
    )
    var missing: [Int64] = []
    for (index, identifier) in identifiers.enumerated() {
      if index & 63 == 0 { try session.control.check() }
      try statement.bind(identifier, at: 1)
      try statement.runBound()
      if session.connection.changeCount == 0 { missing.append(identifier) }
      try session.entities.recorder?.spill()
    }
    return missing
  }
}
