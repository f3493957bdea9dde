internal import DepotProtocol

extension EntityWriter {
  /// Makes the presences of optional composites consistent with their parts in the cells.
  ///
  /// Outer composites come before inner ones. A composite becomes present when one of its parts
  /// gets a value, unless the request sets its presence; a request that makes it absent needn't
  /// name the parts. It returns the broken rules.
  func settle(
    _ composites: [CompositeLayout],
    wasPresent: [Bool],
    named: (Int) -> Bool
  ) -> [DepotError] {
    for composite in composites.reversed() where !named(composite.presence) {
      if isPresent(composite.presence) { continue }
      let isGiven =
        composite.parts.contains { !cells[$0.place].isNull }
        || composite.innerPresences.contains(where: isPresent)
      cells[composite.presence] = .integer(isGiven ? 1 : 0)
    }
    var errors: [DepotError] = []
    for (composite, wasPresent) in zip(composites, wasPresent) {
      if isPresent(composite.presence) {
        complete(composite, isNew: !wasPresent, named, &errors)
      } else {
        clear(composite, named, &errors)
      }
    }
    return errors
  }

  func isPresent(_ place: Int) -> Bool {
    if case .integer(let value) = cells[place] { value != 0 } else { false }
  }

  private func complete(
    _ composite: CompositeLayout,
    isNew: Bool,
    _ named: (Int) -> Bool,
    _ errors: inout [DepotError]
  ) {
    for part in composite.parts {
      if isNew, !part.isInner, !named(part.place), let value = part.defaultValue {
        cells[part.place] = Cell(value, in: arena)
      }
      guard part.isRequired, cells[part.place].isNull else { continue }
      errors.append(
        DepotError(
          .required,
          "\(layout.name).\(part.path) must have a value when \(composite.path) has one."
        ).hint("Give it one, or set \"\(composite.path)\" to false.")
          .details(entity: layout.name, attribute: part.path)
      )
    }
  }

  private func clear(
    _ composite: CompositeLayout,
    _ named: (Int) -> Bool,
    _ errors: inout [DepotError]
  ) {
    for place in composite.innerPresences {
      if named(place), isPresent(place) { errors.append(contradiction(composite, place)) }
      cells[place] = .integer(0)
    }
    for part in composite.parts {
      if named(part.place), !cells[part.place].isNull {
        errors.append(contradiction(composite, part.place))
      }
      cells[part.place] = .null
    }
  }

  private func contradiction(_ composite: CompositeLayout, _ place: Int) -> DepotError {
    let path = layout.field(at: place)?.path ?? ""
    return DepotError(
      .usage,
      "\(layout.name).\(path) can't have a value when \(composite.path) has none."
    ).hint("Leave it out, or set \"\(composite.path)\" to true.")
      .details(entity: layout.name, attribute: path)
  }
}
