package import DepotProtocol

/// The storage of a relationship, from the side of the entity that declares it.
package struct RelationshipLayout: Hashable, Sendable {
  package let relationship: Relationship
  /// The entity that declares it.
  package let owner: String
  /// The inverse relationship, and the entity that declares it.
  package let inverse: Relationship?
  package let inverseOwner: String?
  package let storage: Storage

  /// The columns that hold the relationship; names are quoted for SQL.
  package enum Storage: Hashable, Sendable {
    /// A column of the row holds the identifier of the destination row.
    case column(String)
    /// A column of the destination's table holds the identifier of the row.
    ///
    /// `order`, if there is one, holds the position of the destination row.
    case foreignColumn(table: String, column: String, order: String?)
    /// Rows of a join table hold both identifiers.
    case join(table: String, near: String, far: String, order: String?)
  }

  package var name: String { relationship.name }
  package var destination: String { relationship.destination }
}

extension Schema {
  /// Returns the storage of a relationship that `owner` declares.
  func layout(of relationship: Relationship, owner: Entity) -> RelationshipLayout {
    let back = inverse(of: relationship)
    return RelationshipLayout(
      relationship: relationship,
      owner: owner.name,
      inverse: back?.relationship,
      inverseOwner: back?.owner.name,
      storage: storage(of: relationship, owner, back)
    )
  }

  private func storage(
    of relationship: Relationship,
    _ owner: Entity,
    _ back: (owner: Entity, relationship: Relationship)?
  ) -> RelationshipLayout.Storage {
    if holdsIdentifier(relationship, of: owner.name) {
      return .column("\"\(columnName("r", relationship.name, owner))\"")
    }
    if let back, !back.relationship.isToMany {
      let isOrdered = relationship.isToMany && relationship.isOrdered
      return .foreignColumn(
        table: "\"e_\(root(of: back.owner).name)\"",
        column: "\"\(columnName("r", back.relationship.name, back.owner))\"",
        order: isOrdered ? "\"\(columnName("o", back.relationship.name, back.owner))\"" : nil
      )
    }
    let isFirst = back.map {
      (owner.name, relationship.name) <= ($0.owner.name, $0.relationship.name)
    }
    let name =
      isFirst ?? true
      ? "\(owner.name).\(relationship.name)"
      : back.map { "\($0.owner.name).\($0.relationship.name)" } ?? ""
    return .join(
      table: "\"j_\(name)\"",
      near: isFirst ?? true ? "source" : "target",
      far: isFirst ?? true ? "target" : "source",
      order: relationship.isOrdered ? (isFirst ?? true ? "source_order" : "target_order") : nil
    )
  }
}
