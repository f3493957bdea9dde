/// The check of one relationship against the rest of the schema.
struct RelationshipCheck {
  let relationship: Relationship
  let entity: Entity
  let schema: Schema

  /// The relationship's name for people.
  private var name: String { "\(entity.name).\(relationship.name)" }

  func run() throws(DepotError) {
    guard let destination = schema[relationship.destination] else {
      let names = schema.entities.map(\.name)
      throw .invalid("\(name) leads to \(relationship.destination), which is no entity.")
        .hint(
          Spelling.hint(for: relationship.destination, in: names) ?? "Add the entity to the schema."
        ).at("/destination")
    }
    try checkCounts()
    if let inverse = relationship.inverse {
      try check(inverse, of: destination)
    } else {
      try checkNobodyLeadsBack(from: destination)
    }
  }

  private func checkCounts() throws(DepotError) {
    let (least, most) = (relationship.minCount, relationship.maxCount)
    if relationship.isOrdered && !relationship.isToMany {
      throw .invalid("\(name) leads to one row and can't be ordered.")
        .hint("Make it to-many, or leave \"ordered\" out.").at("/ordered")
    }
    if (least != 0 || most != 0) && !relationship.isToMany {
      throw .invalid("\(name) leads to one row and can't have a least or greatest number of them.")
        .hint("Use \"optional\" to say whether it may lead to none.")
        .at(least != 0 ? "/minCount" : "/maxCount")
    }
    if least < 0 || most < 0 {
      throw .invalid("\(name) has a negative number of rows.")
        .hint("Write 0 for any number.").at(least < 0 ? "/minCount" : "/maxCount")
    }
    if most != 0 && least > most {
      throw .invalid("The minCount of \(name) is above its maxCount.")
        .hint("Swap them.").at("/minCount")
    }
  }

  /// Checks that the inverse exists, and that the two relationships refer to each other's entities.
  private func check(_ inverse: String, of destination: Entity) throws(DepotError) {
    guard let (owner, back) = schema.inverse(of: relationship) else {
      let names = schema.relationships(of: destination).map(\.name)
      throw .invalid("\(name) has the inverse \(inverse), which \(destination.name) doesn't have.")
        .hint(
          Spelling.hint(for: inverse, in: names)
            ?? "Add the relationship \(destination.name).\(inverse) to \(entity.name)."
        ).at("/inverse")
    }
    if back.inverse != relationship.name {
      throw .invalid(
        back.inverse == nil
          ? "\(name) has the inverse \(owner.name).\(inverse), which has none."
          : "\(name) has the inverse \(owner.name).\(inverse), whose inverse is another."
      )
      .hint(
        "Both sides must name each other: give \(owner.name).\(inverse) the inverse "
          + "\"\(relationship.name)\"."
      )
      .at("/inverse")
    }
    if back.destination != entity.name {
      throw .invalid(
        "\(name) has the inverse \(owner.name).\(inverse), which leads to \(back.destination)."
      )
      .hint("It must lead to \(entity.name), which declares \(relationship.name).").at("/inverse")
    }
    if owner.name != destination.name {
      throw .invalid(
        "\(name) leads to \(destination.name), but \(owner.name) declares its inverse \(inverse)."
      )
      .hint("Let it lead to \(owner.name), or declare the inverse in \(destination.name).")
      .at("/destination")
    }
  }

  /// Checks that the relationship without an inverse isn't the inverse of another.
  private func checkNobodyLeadsBack(from destination: Entity) throws(DepotError) {
    for owner in schema.lineage(of: destination) {
      let back = owner.relationships.first {
        $0.inverse == relationship.name && $0.destination == entity.name
      }
      guard let back else { continue }
      throw .invalid("\(name) has no inverse, but is the inverse of \(owner.name).\(back.name).")
        .hint("Both sides must name each other: give \(name) the inverse \"\(back.name)\".")
    }
  }
}

extension Schema {
  /// Whether the rows of the declaring entity `owner` hold the identifier of the target.
  ///
  /// For a one-to-one relationship with an inverse only one side does: the required one, if exactly
  /// one is required, or else the one whose name, as in `Country.capital`, comes first.
  package func holdsIdentifier(_ relationship: Relationship, of owner: String) -> Bool {
    guard !relationship.isToMany else { return false }
    guard let (other, back) = inverse(of: relationship), !back.isToMany else { return true }
    if relationship.isOptional != back.isOptional { return !relationship.isOptional }
    return "\(owner).\(relationship.name)" <= "\(other.name).\(back.name)"
  }
}
