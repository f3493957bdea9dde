internal import DepotProtocol

/// The columns of an entity's rows to read, and their names for clients.
struct RowShape {
  let layout: EntityLayout
  /// The columns of each row for the client, after the identifier and version.
  let columns: [RowColumn]
  /// Whether each row starts with its identifier and version.
  let hasIdentity: Bool
  /// The columns to select.
  let selection: Fragment
  /// The number of columns to select.
  let selectionCount: Int
  /// The selected values that may be large, by their indexes.
  let large: [Int: LargeValue]

  /// Selects paths of an entity, or all fields if `nil`.
  ///
  /// Distinct rows have no identity, so that equal ones can be merged. With `tellsLengths`, a value
  /// in external storage is read as its length, even if it is selected.
  init(
    _ layout: EntityLayout,
    select: [String]? = nil,
    includesSubentityColumns: Bool = false,
    isDistinct: Bool = false,
    tellsLengths: Bool = false,
    in compiler: inout QueryCompiler
  ) throws(DepotError) {
    var builder = RowShapeBuilder(
      layout,
      includesSubentityColumns: includesSubentityColumns,
      in: compiler.catalog
    )
    if select == nil, !isDistinct {
      try builder.addEverything(&compiler)
    } else {
      let paths = select ?? builder.allPaths
      if !isDistinct { try builder.addIdentity(withEntity: paths.contains("$entity")) }
      let wholes = try Self.wholes(of: paths)
      for (index, path) in paths.enumerated() where isDistinct || path != "$entity" {
        if tellsLengths, try builder.addLength(path) { continue }
        // A composite that is selected together with its parts is read as its presence.
        let isAlone = wholes.contains(path)
        try DepotError.at(
          "/args/select/\(index)",
          try builder.add(path, isAlone: isAlone, isDistinct: isDistinct, &compiler)
        )
      }
    }
    self.layout = layout
    hasIdentity = !isDistinct
    columns = builder.columns
    selection = .list(builder.parts)
    selectionCount = builder.parts.count
    large = builder.large
  }

  /// The paths that are the beginning of other paths.
  private static func wholes(of paths: [String]) throws(DepotError) -> Set<String> {
    guard paths.count <= Limits.columns else {
      throw DepotError(.predicateTooLarge, "Over \(Limits.columns) columns are selected.")
    }
    var result: Set<String> = []
    for path in paths {
      try KeyPathSyntax.checkLength(path)
      for index in path.indices where path[index] == "." { result.insert(String(path[..<index])) }
    }
    return result
  }

  /// The names of each row's values for the client.
  var names: [String] { (hasIdentity ? ["$id", "$version"] : []) + columns.map(\.name) }
}
