internal import DepotProtocol

/// A composite that a request sets as a whole, with an object of its parts.
struct CompositeInput {
  let path: String
  /// The index of the presence column; `nil` if the composite isn't optional.
  let presence: Int?
  let parts: [Part]

  struct Part {
    let attribute: Attribute
    let kind: Kind
  }

  enum Kind {
    /// A value, and the index of its column; `nil` if it is checked but not stored.
    case value(FieldRule, place: Int?)
    case derived
    case composite(CompositeInput)
  }

  /// The indexes of all columns, the presence column first.
  var places: [Int] { (presence.map { [$0] } ?? []) + partPlaces }

  /// The indexes of the columns of the parts, at any depth.
  var partPlaces: [Int] {
    parts.flatMap { part -> [Int] in
      switch part.kind {
      case .value(_, let place): return place.map { [$0] } ?? []
      case .derived: return []
      case .composite(let inner): return inner.places
      }
    }
  }
}

extension EntityWriter {
  /// Returns the composite attribute at a path with its parts; `nil` if there is none.
  func composite(_ path: String) throws(DepotError) -> CompositeInput? {
    var attributes = entities.catalog.schema.attributes(of: layout.entity)
    var found: Attribute?
    for name in path.split(separator: ".", omittingEmptySubsequences: false) {
      found = attributes.first { $0.name == name }
      attributes = found?.properties ?? []
    }
    guard let found, found.type == .composite, !found.options.contains(.transient) else {
      return nil
    }
    return try composite(found, path)
  }

  private func composite(
    _ attribute: Attribute,
    _ path: String
  ) throws(DepotError) -> CompositeInput {
    var parts: [CompositeInput.Part] = []
    for property in attribute.properties where !property.options.contains(.transient) {
      let name = "\(path).\(property.name)"
      if property.type == .composite {
        let inner = try composite(property, name)
        parts.append(CompositeInput.Part(attribute: property, kind: .composite(inner)))
      } else if property.derivation != nil {
        parts.append(CompositeInput.Part(attribute: property, kind: .derived))
      } else if let position = layout.position(of: name) {
        let place = layout.storedPositions[position]
        parts.append(
          CompositeInput.Part(
            attribute: property,
            kind: .value(try rule(position), place: place)
          )
        )
      }
    }
    let presence = attribute.isOptional ? layout.position(of: path) : nil
    return CompositeInput(
      path: path,
      presence: presence.flatMap { layout.storedPositions[$0] },
      parts: parts
    )
  }

  /// Reads a composite, null, or a bool for its presence into the cells.
  ///
  /// It returns whether no rule is broken.
  func read(
    _ field: RowField,
    _ input: CompositeInput,
    at pointer: String,
    _ session: ChangeSession
  ) throws(DepotError) -> Bool {
    if input.presence != nil, field.isNull || field.bool != nil {
      setPresence(of: input, field.bool == true)
      return true
    }
    if field.isNull {
      try session.violate(required(input.path).at(pointer))
      return false
    }
    return try readObject(field, input, at: pointer, session)
  }

  /// Reads a client's base value of a composite into the cells, even if it breaks current rules.
  func readBase(
    _ field: RowField,
    _ input: CompositeInput,
    at pointer: String,
    _ session: ChangeSession
  ) throws(DepotError) {
    guard !field.isNull else { return clearAll(input) }
    let count = session.violations.errors.count
    let isSound = try read(field, input, at: pointer, session)
    let error = session.violations.take(since: count)
    if !isSound, field.kind != .object, let error { throw error }
  }

  /// Sets whether a composite has a value; if so, its parts stay.
  func setPresence(of input: CompositeInput, _ isPresent: Bool) {
    guard isPresent, let presence = input.presence else { return clearAll(input) }
    cells[presence] = .integer(1)
    links.kept.formUnion(input.partPlaces)
  }

  private func clearAll(_ input: CompositeInput) {
    if let presence = input.presence { cells[presence] = .integer(0) }
    clear(input)
  }

  private func readObject(
    _ field: RowField,
    _ input: CompositeInput,
    at pointer: String,
    _ session: ChangeSession
  ) throws(DepotError) -> Bool {
    guard field.kind == .object else {
      let error = DepotError(
        .type,
        "\(layout.name).\(input.path) is a composite, which this \(field.kind) isn't."
      ).hint("Write an object of its parts: \(input.names).")
      try session.violate(error.details(entity: layout.name, attribute: input.path).at(pointer))
      return false
    }
    if let presence = input.presence { cells[presence] = .integer(1) }
    var given = Array(repeating: false, count: input.parts.count)
    var isSound = true
    var reader = RowReader(value: field.bytes)
    try reader.object { name, reader throws(DepotError) in
      let value = try reader.field()
      let step = name.replacing("~", with: "~0").replacing("/", with: "~1")
      let place = "\(pointer)/\(step)"
      guard let index = input.parts.firstIndex(where: { $0.attribute.name == name }) else {
        try session.violate(unknownPart(name, of: input).at(place))
        isSound = false
        return
      }
      // Names with different bytes can be equal in normal form C.
      guard !given[index] else {
        throw DepotError(.usage, "\"\(name)\" is named twice.").at(place)
      }
      given[index] = true
      if try !readPart(value, input.parts[index], of: input, at: place, session) {
        isSound = false
      }
    }
    for (index, part) in input.parts.enumerated() where !given[index] {
      if try !leaveOut(part, of: input, at: pointer, session) { isSound = false }
    }
    return isSound
  }

  private func readPart(
    _ field: RowField,
    _ part: CompositeInput.Part,
    of input: CompositeInput,
    at pointer: String,
    _ session: ChangeSession
  ) throws(DepotError) -> Bool {
    var errors: [DepotError] = []
    switch part.kind {
    case .derived:
      let path = "\(input.path).\(part.attribute.name)"
      errors = [
        DepotError(.usage, "\(layout.name).\(path) is derived and can't be set.")
          .hint("Leave it out: the store computes it.").details(
            entity: layout.name,
            attribute: path
          )
      ]
    case .composite(let inner):
      guard field.isNull else { return try readObject(field, inner, at: pointer, session) }
      if inner.presence == nil { errors = [required(inner.path)] } else { clearAll(inner) }
    case .value(let rule, let place):
      guard let cell = Cell(field, as: rule.form, in: arena) else {
        return try refuse([rule.wrongType(field)], at: pointer, session)
      }
      if let place { cells[place] = cell }
      if cell.isNull {
        if !part.attribute.isOptional { errors = [rule.required] }
      } else {
        errors = try rule.problems(cell, session.control)
      }
    }
    return try refuse(errors, at: pointer, session)
  }

  /// Sets a part that an object doesn't name to its default.
  private func leaveOut(
    _ part: CompositeInput.Part,
    of input: CompositeInput,
    at pointer: String,
    _ session: ChangeSession
  ) throws(DepotError) -> Bool {
    switch part.kind {
    case .derived: return true
    case .composite(let inner):
      if inner.presence != nil {
        clearAll(inner)
        return true
      }
      var isSound = true
      for part in inner.parts where try !leaveOut(part, of: inner, at: pointer, session) {
        isSound = false
      }
      return isSound
    case .value(let rule, let place):
      let cell = try Cell(defaultOf: part.attribute, in: arena)
      if let place { cells[place] = cell }
      guard cell.isNull, !part.attribute.isOptional else { return true }
      return try refuse([rule.required], at: pointer, session)
    }
  }

  private func refuse(
    _ errors: [DepotError],
    at pointer: String,
    _ session: ChangeSession
  ) throws(DepotError) -> Bool {
    for error in errors { try session.violate(error.at(pointer)) }
    return errors.isEmpty
  }

  /// Sets all parts to null.
  private func clear(_ input: CompositeInput) {
    for part in input.parts {
      switch part.kind {
      case .value(_, let place): if let place { cells[place] = .null }
      case .derived: break
      case .composite(let inner): clearAll(inner)
      }
    }
  }

  private func required(_ path: String) -> DepotError {
    DepotError(.required, "\(layout.name).\(path) must have a value.")
      .hint("Write an object of its parts, or make it optional in the schema.")
      .details(entity: layout.name, attribute: path)
  }

  private func unknownPart(_ name: String, of input: CompositeInput) -> DepotError {
    let nearest = Spelling.nearest(to: name, in: input.parts.map(\.attribute.name))
    return DepotError(.unknownAttribute, "\(layout.name).\(input.path) has no part \"\(name)\".")
      .hint(nearest.map { "Did you mean \"\($0)\"?" } ?? "It has \(input.names).")
      .details(entity: layout.name, attribute: input.path).detail("didYouMean", nearest)
  }
}

extension CompositeInput {
  /// The names of the parts, for messages.
  fileprivate var names: String { parts.map(\.attribute.name).joined(separator: ", ") }
}
