internal import DepotProtocol

/// The migration of one table of the old schema.
struct TableMigration {
  /// The old root entity.
  let old: EntityLayout
  /// The new tables that get its rows.
  private(set) var targets: [Target]
  /// The transformations of rows, by the number of their old entity; rows without one are deleted.
  let transforms: [Int: RowTransform]

  struct Target {
    /// The new root entity.
    var root: EntityLayout
    /// The old column of each new column, by name.
    var origins: [String: String]
    /// Whether the table stays, perhaps with other names and more columns.
    var isKept: Bool
  }

  /// Whether the rows must be checked although they stay.
  var needsCheck: Bool {
    transforms.values.contains { transform in
      transform.entity.entity.isAbstract || transform.columns.contains { $0.check != nil }
    }
  }

  /// Marks new tables that also get other tables' rows, and so can't be kept.
  mutating func share(_ feeders: [String: [String]]) {
    for index in targets.indices where feeders[targets[index].root.name, default: []].count > 1 {
      targets[index].isKept = false
    }
  }

  init(old: EntityLayout, transforms: [Int: RowTransform], old catalog: Catalog) {
    self.old = old
    self.transforms = transforms
    var roots: [String: EntityLayout] = [:]
    for transform in transforms.values { roots[transform.root.name] = transform.root }
    let family = catalog.allLayouts.filter { $0.root == old.name && !$0.entity.isAbstract }
    let keepsRows = family.allSatisfy { transforms[$0.number] != nil }
    targets = roots.values.sorted { $0.name < $1.name }.map { root in
      let origins = Self.origins(old, root, transforms)
      let isKept =
        keepsRows && roots.count == 1
        && Self.isKept(old, root, origins, transforms, family)
      return Target(root: root, origins: origins, isKept: isKept)
    }
  }

  /// Returns the old column of each new one that gets its values from only one.
  private static func origins(
    _ old: EntityLayout,
    _ root: EntityLayout,
    _ transforms: [Int: RowTransform]
  ) -> [String: String] {
    var found: [Int: Set<Int>] = [:]
    for transform in transforms.values where transform.root.name == root.name {
      for (place, source) in transform.sources { found[place, default: []].insert(source) }
    }
    if let new = root.kindPosition, let old = old.kindPosition { found[new] = [old] }
    var taken: Set<Int> = []
    var result: [String: String] = [:]
    for (place, sources) in found.sorted(by: { $0.key < $1.key }) {
      guard let source = sources.first, sources.count == 1, taken.insert(source).inserted else {
        continue
      }
      result[root.stored[place].name] = old.stored[source].name
    }
    return result
  }

  /// Whether all rows have the same form in the new table as in the old one.
  private static func isKept(
    _ old: EntityLayout,
    _ root: EntityLayout,
    _ origins: [String: String],
    _ transforms: [Int: RowTransform],
    _ family: [EntityLayout]
  ) -> Bool {
    let known = Dictionary(uniqueKeysWithValues: old.stored.map { ($0.name, $0) })
    guard Set(origins.values) == Set(known.keys) else { return false }
    for column in root.stored {
      if let origin = origins[column.name].flatMap({ known[$0] }) {
        guard column.isStored(like: origin) else { return false }
      } else if column.isRequired {
        return false
      }
    }
    let places = root.columnIndicesByName
    let wanted = Dictionary(
      uniqueKeysWithValues: origins.compactMap { new, old in places[new].map { ($0, old) } }
    )
    for layout in family {
      guard let transform = transforms[layout.number], transform.isPlain else { return false }
      let own = Set(layout.stored.map(\.name))
      let sources = Dictionary(uniqueKeysWithValues: transform.sources)
      for (place, column) in wanted where place != root.kindPosition {
        // The new column must be the same for rows of all entities.
        if own.contains(column), sources[place] == nil { return false }
      }
    }
    return true
  }
}

extension RowTransform {
  /// The indexes of columns with old values, each with the index of the old column.
  var sources: [(Int, Int)] {
    var result = columns.compactMap { column in column.source.map { (column.place, $0) } }
    for link in links {
      if let source = link.source { result.append((link.place, source)) }
      if let place = link.orderPlace, let source = link.orderSource {
        result.append((place, source))
      }
    }
    return result
  }

  /// Whether the new row consists only of unchanged values of the old one.
  fileprivate var isPlain: Bool {
    links.allSatisfy { $0.lookup == nil }
      && columns.allSatisfy { column in
        guard column.source != nil else { return column.fill.isNull }
        return column.conversion == nil && !column.isNewlyRequired
      }
  }
}

extension StoredColumn {
  /// Whether both have the same definition in SQLite, except for the name.
  fileprivate func isStored(like other: StoredColumn) -> Bool {
    var copy = other
    copy.name = name
    return copy.definition == definition && other.isExternal == isExternal
      && other.isWidened == isWidened
  }
}
