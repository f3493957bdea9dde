internal import DepotProtocol

/// Which columns of an entity's rows are read, and how they are named to the client.
struct RowShape {
  let layout: EntityLayout
  /// The values of each row on the wire, after the identifier and version.
  let columns: [RowColumn]
  /// Whether each row begins with its identifier and version.
  let hasIdentity: Bool
  /// Whether all stored columns are read, so that the checksum can be verified.
  let isFull: Bool
  /// What to select.
  let selection: Fragment
  /// How many columns that has.
  let selectionCount: Int

  /// - Parameters:
  ///   - layout: The entity.
  ///   - select: The paths to read; all fields if `nil`.
  ///   - includesSubentityColumns: Whether the fields of entities that descend from this one may be
  ///     read too.
  ///   - isDistinct: Whether rows have no identity, so that equal ones can be left out.
  ///   - compiler: What joins the rows that paths lead through.
  /// - Throws: ``DepotError`` `schema.unknown_attribute`, or `request.usage` for what can't be read or
  ///   what every row has anyway.
  init(
    _ layout: EntityLayout,
    select: [String]? = nil,
    includesSubentityColumns: Bool = false,
    isDistinct: Bool = false,
    in compiler: inout QueryCompiler
  ) throws(DepotError) {
    var builder = RowShapeBuilder(layout, includesSubentityColumns: includesSubentityColumns)
    if select == nil, !isDistinct {
      try builder.addEverything(&compiler)
    } else {
      let paths = select ?? builder.allPaths
      if !isDistinct { builder.addIdentity(withEntity: paths.contains("$entity")) }
      for (index, path) in paths.enumerated() where isDistinct || path != "$entity" {
        do {
          // A composite beside parts of it is whether it is there.
          let isAlone = paths.contains { $0.hasPrefix(path + ".") }
          try builder.add(path, isAlone: isAlone, isDistinct: isDistinct, &compiler)
        } catch {
          throw error.at("/args/select/\(index)")
        }
      }
    }
    self.layout = layout
    hasIdentity = !isDistinct
    isFull = select == nil && !isDistinct
    columns = builder.columns
    selection = builder.selection
    selectionCount = builder.count
  }

  /// The names of the values of each row on the wire.
  var names: [String] { (hasIdentity ? ["$id", "$version"] : []) + columns.map(\.name) }
}
