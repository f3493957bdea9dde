internal import DepotProtocol

/// A relationship, or an inheritance, between two entities of a diagram.
struct DiagramEdge: Equatable {
  /// The sign at an end of the edge, one of crow's feet.
  enum Mark: Equatable {
    case none
    case one
    case zeroOrOne
    case many
    case oneOrMany
    /// The arrow at the entity that others inherit from.
    case parent
  }

  struct End: Equatable {
    var box: Int
    /// The line of the box.
    var row: Int
    var mark: Mark
  }

  var from: End
  var to: End
  /// Whether the entity of `from` is better drawn before the entity of `to`.
  var isForward: Bool
  /// Its meaning in words, such as `City.country ↔ Country.cities`.
  var title: String
}

/// The entities and edges of a diagram.
struct DiagramGraph: Equatable {
  /// The names of the entities, in the order of the boxes.
  var names: [String]
  var boxes: [DiagramBox]
  var edges: [DiagramEdge] = []

  init(_ schema: Schema) {
    names = schema.entities.map(\.name)
    boxes = schema.entities.map(DiagramBox.init)
    for (index, entity) in schema.entities.enumerated() {
      if let parent = schema.entities.firstIndex(where: { $0.name == entity.parent }) {
        edges.append(
          DiagramEdge(
            from: .init(box: parent, row: DiagramBox.titleRow, mark: .parent),
            to: .init(box: index, row: DiagramBox.titleRow, mark: .none),
            isForward: true,
            title: "\(entity.name) is a \(schema.entities[parent].name)"
          )
        )
      }
      for relationship in entity.relationships { add(relationship, of: index, schema) }
    }
  }

  /// Adds a relationship and its inverse as one edge, unless the inverse has added it already.
  private mutating func add(_ relationship: Relationship, of index: Int, _ schema: Schema) {
    let back = schema.inverse(of: relationship)
    let (holder, inverse) = (back?.owner.name ?? relationship.destination, back?.relationship)
    guard let row = boxes[index].relationshipRows[relationship.name],
      let other = schema.entities.firstIndex(where: { $0.name == holder })
    else { return }
    let inverseRow = inverse.flatMap { boxes[other].relationshipRows[$0.name] }
    let isOwnInverse = other == index && inverseRow == row
    if let inverseRow, (other, inverseRow) < (index, row) { return }
    edges.append(
      DiagramEdge(
        from: .init(box: index, row: row, mark: inverse.map(Self.mark) ?? .none),
        to: .init(
          box: other,
          row: isOwnInverse ? DiagramBox.entranceRow : inverseRow ?? DiagramBox.entranceRow,
          mark: Self.mark(relationship)
        ),
        isForward: relationship.isToMany
          ? !(inverse?.isToMany ?? false) || index < other
          : inverse.map { !$0.isToMany && index < other } ?? false,
        title: "\(schema.entities[index].name).\(relationship.name) "
          + (inverse.map { "↔ \(holder).\($0.name)" } ?? "→ \(holder)")
      )
    )
  }

  private static func mark(_ relationship: Relationship) -> DiagramEdge.Mark {
    if relationship.isToMany { return relationship.minCount > 0 ? .oneOrMany : .many }
    return relationship.isOptional ? .zeroOrOne : .one
  }
}
