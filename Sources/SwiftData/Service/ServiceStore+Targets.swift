internal import DepotClient
internal import DepotProtocol

extension [PersistentIdentifier] {
  /// Divides objects by their stored parents among these, regardless of the program's changes.
  func divide(
    _ links: [ObjectReference],
    by parents: (ModelStorage) -> [PersistentIdentifier]
  ) -> [[ObjectReference]] {
    var positions: [PersistentIdentifier: Int] = [:]
    for (position, source) in enumerated() { positions[source] = position }
    var lists = map { _ in [ObjectReference]() }
    for link in links {
      for case let position? in parents(link.storage).map({ positions[$0] }) {
        lists[position].append(link)
      }
    }
    return lists
  }
}

/// The targets of to-many relationships.
extension ServiceStore {
  func targets(
    of sources: [PersistentIdentifier],
    _ description: EntityDescription,
    slot: Int,
    into context: ModelContext
  ) throws -> [[ObjectReference]] {
    let property = description.properties[slot]
    guard let type = property.destination else { return sources.map { _ in [] } }
    let target = EntityDescription.of(type)
    if let inverse = property.shape.inverse, !inverse.isToMany,
      !property.isOrderedList
    {
      return try children(of: sources, target, inverse, into: context)
    }
    return try linked(to: sources, description, property, target, into: context)
  }

  /// Reads the rows that refer to the sources by a to-one relationship.
  private func children(
    of sources: [PersistentIdentifier],
    _ target: EntityDescription,
    _ inverse: RelationshipShape.Inverse,
    into context: ModelContext
  ) throws -> [[ObjectReference]] {
    let rows = sources.compactMap(\.row)
    let path = QueryExpression.attribute(inverse.name + ".$id")
    let predicate: QueryExpression =
      rows.count == 1
      ? .comparison(.equal, path, .value(.int64(rows[0])))
      : .in(path, rows.map { .value(.int64($0)) })
    let links = try fetch(StoreQuery(target, predicate), into: context)
    if rows.count == 1 { return [links] }
    return sources.divide(links) { storage in
      (storage.newer?.slots[inverse.slot] ?? storage.stored(inverse.slot)).targetIdentifiers
    }
  }

  /// Reads the targets of a to-many relationship from the rows of its sources, in the saved order.
  private func linked(
    to sources: [PersistentIdentifier],
    _ description: EntityDescription,
    _ property: PropertyDescription,
    _ target: EntityDescription,
    into context: ModelContext
  ) throws -> [[ObjectReference]] {
    let rows = sources.compactMap(\.row)
    let request = FetchRequest(
      entity: description.name,
      predicate: .in(.attribute("$id"), rows.map { .value(.int64($0)) }),
      select: [property.name],
      namesColumns: false
    )
    var targets: [Int64: [Int64]] = [:]
    try talk { connection in
      targets = [:]
      _ = try connection.fetch(request) { row in
        targets[row.identifier] = try row.next([Int64].self)
      }
    }
    let key = target.key(in: identifier)
    var known: Set<Int64> = []
    let all = rows.flatMap { targets[$0] ?? [] }.filter { known.insert($0).inserted }
    let links = try self.rows(
      all.map { PersistentIdentifier(key, .row($0)) },
      of: target,
      slots: nil,
      into: context
    )
    let byRow = Dictionary(first: links.map { ($0.storage.identifier.row ?? 0, $0) })
    return rows.map { row in (targets[row] ?? []).compactMap { byRow[$0] } }
  }
}
