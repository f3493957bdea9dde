internal import DepotProtocol
internal import DepotSQLite

/// The writers of all entities of a schema.
@Memberwise("catalog", "connection")
final class EntityWriters {
  let catalog: Catalog
  let connection: Connection
  /// The recorder of the history; `nil` to record nothing.
  var recorder: ChangeRecorder?
  private(set) var counters: [String: IdentifierCounter] = [:]
  private(set) var ceilings: [String: Int64]
  /// The number of identifiers that are reserved in advance.
  var identifierBlock: Int64 = 1024
  private var writers: [String: EntityWriter] = [:]
  /// The writer found last, which most calls want again.
  private var lastWriter: EntityWriter?
  private var links: [String: RelationshipLink] = [:]
  private var linksOf: [String: [RelationshipLink]] = [:]
  private var ends: [String: [RelationshipLink]] = [:]
  private var sessionCount: UInt64 = 0
  private var derived: DerivedAttributes?

  /// Runs a statement that changes only columns with these indexes, if they are known; returns the
  /// number of changed rows.
  @inline(__always)
  @discardableResult
  func run(_ statement: Statement, changing places: [Int]?) throws -> Int {
    guard let recorder else {
      try statement.runBound()
      return connection.changeCount
    }
    recorder.updatedColumns = places
    defer { recorder.updatedColumns = nil }
    try statement.runBound()
    // The spilled changes are rows of the history, which count too.
    let count = connection.changeCount
    try recorder.spill()
    return count
  }

  /// Returns the number for a new session, greater than 0.
  func nextSession() -> UInt64 {
    sessionCount += 1
    return sessionCount
  }

  /// Continues with the identifiers reserved by another service of the store.
  func goOn(at ceilings: [String: Int64]) {
    self.ceilings = ceilings
    for counter in counters.values { counter.goOn(at: ceilings[counter.entity] ?? 1) }
  }

  /// Returns the object that computes derived attributes.
  func derivedAttributes() throws(DepotError) -> DerivedAttributes {
    try derived.getOrInsert { () throws(DepotError) in
      try DerivedAttributes(catalog, on: connection)
    }
  }

  /// Returns the writer for rows of the entity named `name`.
  func writer(_ name: String) throws -> EntityWriter {
    if let lastWriter, lastWriter.layout.name == name { return lastWriter }
    let writer = try writers[name] ?? makeWriter(name)
    lastWriter = writer
    return writer
  }

  private func makeWriter(_ name: String) throws -> EntityWriter {
    let layout = try catalog.layout(of: name)
    let writer = try EntityWriter(layout, entities: self, counter: counter(layout.root))
    writers[name] = writer
    return writer
  }

  /// Returns the writer for rows of the entity named at `pointer` of the request.
  func writer(
    _ name: String,
    at pointer: @autoclosure () -> String
  ) throws -> EntityWriter {
    do {
      return try writer(name)
    } catch let error as DepotError {
      throw error.at(pointer())
    }
  }

  /// The counter of a table's identifiers, shared by all its entities.
  private func counter(_ root: String) -> IdentifierCounter {
    counters[root].getOrInsert {
      IdentifierCounter(entity: root, ceiling: ceilings[root] ?? 1, block: identifierBlock)
    }
  }

  /// Returns the relationship for a layout.
  func link(_ layout: RelationshipLayout) throws -> RelationshipLink {
    let key = "\(layout.owner).\(layout.name)"
    if let link = links[key] { return link }
    let link = RelationshipLink(
      layout,
      owner: try catalog.layout(of: layout.owner),
      destination: try catalog.layout(of: layout.destination),
      storage: try storage(layout),
      side: layout.nearSide
    )
    links[key] = link
    return link
  }

  /// Returns the inverse relationship.
  func inverse(of link: RelationshipLink) throws -> RelationshipLink? {
    if let inverse = link.inverse { return inverse }
    guard let owner = link.layout.inverseOwner, let name = link.layout.inverse?.name,
      let layout = try catalog.layout(of: owner).relationship(name)
    else { return nil }
    let inverse = try self.link(layout)
    link.inverse = inverse
    return inverse
  }

  private func storage(_ layout: RelationshipLayout) throws -> RelationshipLink.Storage {
    switch layout.storage {
    case .column:
      return .column(try column(of: layout))
    case .foreignColumn:
      guard let owner = layout.inverseOwner, let name = layout.inverse?.name,
        let back = try catalog.layout(of: owner).relationship(name)
      else { throw DepotError(.bug, "\(layout.name) has no inverse.") }
      return .foreign(try column(of: back))
    case .join(let table, _, _, _):
      let isSource = layout.nearSide == .source
      let near = layout.relationship.isOrdered
      let far = layout.isSelfInverse ? false : layout.inverse?.isOrdered ?? false
      return .join(
        JoinTable(
          table,
          isOrdered: isSource ? (near, far) : (far, near),
          connection: connection
        )
      )
    }
  }

  private func column(of layout: RelationshipLayout) throws -> ReferenceColumn {
    let root = try catalog.layout(of: catalog.layout(of: layout.owner).root)
    guard case .column(let quoted) = layout.storage,
      let place = root.stored.firstIndex(where: { $0.quoted == quoted })
    else { throw DepotError(.bug, "\(layout.owner).\(layout.name) has no column.") }
    let order = "\"o_\(quoted.dropFirst(3))"
    return ReferenceColumn(
      root: root,
      index: place,
      orderIndex: root.stored.firstIndex { $0.quoted == order },
      isUnique: layout.inverse?.isToMany == false && !layout.isSelfInverse
    )
  }

  /// Returns the relationships of an entity, including inherited ones.
  func links(of layout: EntityLayout) throws -> [RelationshipLink] {
    if let links = linksOf[layout.name] { return links }
    let links = try layout.relationships.map { try link($0) }
    linksOf[layout.name] = links
    return links
  }

  /// Returns the relationships without an inverse whose destination is an entity.
  func incoming(_ layout: EntityLayout) throws -> [RelationshipLink] {
    if let links = ends[layout.name] { return links }
    let layouts = catalog.allLayouts.flatMap { other in
      other.relationships.filter { $0.owner == other.name }
    }
    let result = try layouts.filter {
      $0.inverse == nil && layout.lineageNames.contains($0.destination)
    }.map(link)
    ends[layout.name] = result
    return result
  }
}

extension RelationshipLayout {
  /// The side of the join table for the owner's rows.
  var nearSide: JoinTable.Side {
    if case .join(_, let near, _, _) = storage, near == "target" { .target } else { .source }
  }
}
