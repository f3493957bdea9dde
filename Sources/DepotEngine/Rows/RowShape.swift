internal import DepotProtocol

/// Which columns of an entity's rows are read, and how they are named to the client.
struct RowShape {
  let layout: EntityLayout
  /// The values of each row on the wire, after the identifier and version.
  let columns: [RowColumn]
  /// Whether each row begins with its identifier and version.
  let hasIdentity: Bool
  /// The columns to select.
  let selection: Fragment
  /// How many columns that has.
  let selectionCount: Int

  /// Selects paths of an entity, all fields if `nil`; rows have no identity if they are distinct,
  /// so that equal ones can be left out.
  ///
  /// With `tellsLengths`, a value in external storage that is selected comes as its length, too.
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
        // A composite beside parts of it is whether it is there.
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
  }

  /// The paths with fewer steps that others begin with.
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

  /// The names of the values of each row on the wire.
  var names: [String] { (hasIdentity ? ["$id", "$version"] : []) + columns.map(\.name) }
}
