internal import DepotProtocol

/// Which columns of an entity are read, and how they are named to the client.
struct RowShape {
  let layout: EntityLayout
  /// The positions of the fields in the layout, in the order in which they are returned.
  let positions: [Int]
  /// Whether these are all attributes in the schema's order, so that the checksum can be verified.
  let isFull: Bool

  /// - Throws: ``DepotError`` `schema.unknown_attribute`, or `request.usage` for what every row has
  ///   anyway.
  init(_ layout: EntityLayout, select: [String]?) throws(DepotError) {
    self.layout = layout
    var positions: [Int] = []
    for name in select ?? [] {
      guard name != "$id", name != "$version" else {
        throw DepotError(.usage, "\"\(name)\" can't be selected.")
          .hint("Every row begins with $id and $version.").at("/args/select")
      }
      guard let position = layout.position(of: name) else {
        throw layout.entity.unknownAttribute(name).at("/args/select")
      }
      positions.append(position)
    }
    isFull = select == nil
    self.positions = isFull ? Array(layout.fields.indices) : positions
  }

  /// The list of columns for `SELECT`.
  var columns: String {
    isFull
      ? layout.fullColumns(in: "t0")
      : (["t0.id", "t0.version"] + positions.map { layout.sql(ofField: $0, in: "t0") })
        .joined(separator: ", ")
  }

  /// The names of the values of each row on the wire.
  var names: [String] { ["$id", "$version"] + positions.map { layout.fields[$0].path } }
}
