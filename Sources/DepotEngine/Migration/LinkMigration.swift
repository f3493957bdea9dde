internal import DepotProtocol

/// A relationship of the new schema, on the side that stores it, with the sources of its links.
struct LinkMigration {
  /// The side with the column, or the first one of the join table.
  let layout: RelationshipLayout
  /// The relationships of the old schema whose links it gets.
  let sources: [Source]
  /// Whether the stored links stay, except for names.
  let isKept: Bool
  /// The quoted name of the temporary table for the links.
  let pairs: String

  struct Source: Hashable {
    var layout: RelationshipLayout
    /// Whether it leads from the second side to the first one.
    var isReversed: Bool
    /// The numbers added to the identifiers of the rows on either side.
    var nearShift: Int64 = 0
    var farShift: Int64 = 0
  }

  /// The rows that may be on one side, in the old schema.
  struct Side {
    /// The table, and the numbers of the entities whose rows stay on the side; `nil` for all.
    var table: String
    var kinds: [Int]
    /// The numbers of the entities whose rows stay, but no longer on the side.
    var departed: [Int]
  }

  /// The rows that are no longer on each side; `nil` if there are none.
  let near: [Source: Side]
  let far: [Source: Side]

  /// Whether each row of the first side has at most one destination.
  var isToOne: Bool { !layout.relationship.isToMany }
  /// Whether each row of the second side is the destination of at most one row.
  var isFromOne: Bool { layout.isFromOne }
}

extension LinkMigration {
  /// Returns all relationships of the new schema, each once, on the side that stores it.
  static func all(
    from old: Catalog,
    to new: Catalog,
    _ mapping: MigrationMapping,
    _ shifts: IdentifierShifts
  ) throws(DepotError) -> [LinkMigration] {
    var result: [LinkMigration] = []
    for entity in new.allLayouts {
      for layout in entity.relationships where layout.owner == entity.name {
        switch layout.storage {
        case .column: break
        case .join where layout.nearSide == .source: break
        default: continue
        }
        result.append(
          try LinkMigration(layout, pairs: "\"m_pairs_\(result.count)\"", old, mapping, shifts)
        )
      }
    }
    return result
  }

  private init(
    _ layout: RelationshipLayout,
    pairs: String,
    _ old: Catalog,
    _ mapping: MigrationMapping,
    _ shifts: IdentifierShifts
  ) throws(DepotError) {
    self.layout = layout
    self.pairs = pairs
    var sources = try Self.origins(of: layout.name, layout.owner, old, mapping)
      .map { Source(layout: $0, isReversed: false) }
    if let owner = layout.inverseOwner, let name = layout.inverse?.name, !layout.isSelfInverse {
      for origin in try Self.origins(of: name, owner, old, mapping) {
        // Of two relationships that were inverses of each other, one is enough.
        let isTold = sources.contains {
          $0.layout.inverseOwner == origin.owner && $0.layout.inverse?.name == origin.name
        }
        if !isTold { sources.append(Source(layout: origin, isReversed: true)) }
      }
    }
    let roots = try (
      mapping.new.root(of: mapping.new.entity(named: layout.owner)).name,
      mapping.new.root(of: mapping.new.entity(named: layout.destination)).name
    )
    var near: [Source: Side] = [:]
    var far: [Source: Side] = [:]
    for index in sources.indices {
      var source = sources[index]
      let ends = (source.layout.owner, source.layout.destination)
      let (first, second) = source.isReversed ? (ends.1, ends.0) : ends
      source.nearShift = shifts.shift(from: try old.layout(of: first).root, to: roots.0)
      source.farShift = shifts.shift(from: try old.layout(of: second).root, to: roots.1)
      sources[index] = source
      near[source] = try Self.side(from: first, to: layout.owner, old, mapping)
      far[source] = try Self.side(from: second, to: layout.destination, old, mapping)
    }
    self.sources = sources
    self.near = near
    self.far = far
    // A new join table must be created.
    let isMade = layout.isInColumn || !sources.isEmpty
    isKept =
      isMade
      && sources.allSatisfy { source in
        !source.isReversed && source.nearShift == 0 && source.farShift == 0 && far[source] == nil
          && layout.isStored(like: source.layout)
          && layout.isFromOne == source.layout.isFromOne
          && (near[source] == nil || source.layout.isInColumn)
          && (sources.count == 1 || source.layout.isInColumn)
      }
  }

  /// Returns the old relationships of an entity and its descendants that a new one replaces.
  private static func origins(
    of name: String,
    _ owner: String,
    _ old: Catalog,
    _ mapping: MigrationMapping
  ) throws(DepotError) -> [RelationshipLayout] {
    var result: [RelationshipLayout] = []
    for entity in mapping.family(of: owner, in: mapping.new) {
      guard let source = mapping.source(ofRelationship: name, in: entity.name),
        let layout = try old.layout(of: source.owner).relationship(source.name),
        !result.contains(layout)
      else { continue }
      result.append(layout)
    }
    return result
  }

  private static func side(
    from before: String,
    to after: String,
    _ old: Catalog,
    _ mapping: MigrationMapping
  ) throws(DepotError) -> Side? {
    let staying = Set(
      mapping.family(of: after, in: mapping.new).compactMap { mapping.origin(of: $0.name)?.name }
    )
    let leaving = mapping.family(of: before, in: mapping.old)
      .filter { !$0.isAbstract && !staying.contains($0.name) }
    guard !leaving.isEmpty else { return nil }
    let number = { (name: String) throws(DepotError) in try old.layout(of: name).number }
    let departed = leaving.map(\.name).filter { mapping.successor(of: $0) != nil }
    return Side(
      table: try old.layout(of: before).table,
      kinds: try staying.sorted().map(number),
      departed: try departed.map(number)
    )
  }
}

extension RelationshipLayout {
  /// Whether it is stored in the owner's rows.
  var isInColumn: Bool { if case .column = storage { true } else { false } }

  /// Whether each destination has at most one row, and an inverse relationship to it.
  fileprivate var isFromOne: Bool { inverse?.isToMany == false && !isSelfInverse }

  /// Whether links are stored in the same form, except for names.
  fileprivate func isStored(like other: RelationshipLayout) -> Bool {
    guard isSelfInverse == other.isSelfInverse, orders == other.orders else { return false }
    switch (storage, other.storage) {
    case (.column, .column): return true
    case (.join, .join): return nearSide == other.nearSide
    default: return false
    }
  }

  /// Whether the rows on each side are ordered.
  private var orders: [Bool] {
    [
      relationship.isToMany && relationship.isOrdered,
      inverse.map { $0.isToMany && $0.isOrdered && !isSelfInverse } ?? false,
    ]
  }

  /// The query for the links, from the owner's side, or from the other side if `isReversed`.
  func pairs(isReversed: Bool, in old: Catalog) throws(DepotError) -> String {
    var near: String
    var far: String
    var nearOrder = "NULL"
    var farOrder = "NULL"
    let table: String
    switch storage {
    case .column(let column):
      let root = try old.layout(of: old.layout(of: owner).root)
      table = root.table
      (near, far) = ("id", column)
      let order = "\"o_\(column.dropFirst(3))"
      if root.stored.contains(where: { $0.quoted == order }) { farOrder = order }
    case .foreignColumn(let foreign, let column, let order):
      table = foreign
      (near, far) = (column, "id")
      if let order { nearOrder = order }
    case .join(let join, let nearColumn, let farColumn, let order):
      table = join
      (near, far) = (nearColumn, farColumn)
      if let order { nearOrder = order }
      if orders[1] { farOrder = nearSide.other.orderColumn }
    }
    let column = near == "id" ? far : near
    if isReversed {
      swap(&near, &far)
      swap(&nearOrder, &farOrder)
    }
    return """
      SELECT \(near) AS near, \(far) AS far, \(nearOrder) AS near_order, \(farOrder) AS far_order \
      FROM \(table) WHERE \(column) IS NOT NULL
      """
  }
}
