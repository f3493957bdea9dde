internal import DepotProtocol

/// Reads a request's rows: values into cells, and relationships into ``RowLinks``.
extension EntityWriter {
  /// Reads a row's values into the cells and ``links``, and adds the rules that they break.
  ///
  /// It returns whether no rule is broken.
  @inline(__always)
  func readRow(
    _ reader: inout RowReader,
    _ plan: InputPlan,
    _ session: ChangeSession,
    _ place: @autoclosure () -> RowPointer
  ) throws -> Bool {
    // Each use of the property would count a reference.
    let arena = arena
    arena.removeAll()
    if plan.hasLinks { links.removeAll() }
    if !uploads.isEmpty { uploads.removeAll() }
    var isSound = true
    for index in 0..<plan.plain.count {
      let column = plan.plain[index]
      if reader.isAtEndOfRow() { throw wrongCount(index, plan, place()) }
      let field = try reader.field()
      guard column.isAttribute else {
        if try !readLink(field, index, plan, session, place()) { isSound = false }
        continue
      }
      guard let cell = Cell(field, as: column.form, in: arena) else {
        if try refuse(field, nil, index, plan, session, place()) { isSound = false }
        continue
      }
      if column.place >= 0 { cells[column.place] = cell }
      if cell.isNull ? !column.isOptional : column.hasCheck || cell.byteCount > Limits.valueBytes {
        if try refuse(field, cell, index, plan, session, place()) { isSound = false }
      }
    }
    if !reader.isAtEndOfRow() {
      var count = plan.plain.count
      while !reader.isAtEndOfRow() {
        _ = try reader.field()
        count += 1
      }
      try reader.endRow()
      throw wrongCount(count, plan, place())
    }
    try reader.endRow()
    return isSound
  }

  /// Adds the errors of a value; returns whether there are any.
  private func refuse(
    _ field: RowField,
    _ cell: Cell?,
    _ index: Int,
    _ plan: InputPlan,
    _ session: ChangeSession,
    _ place: RowPointer
  ) throws -> Bool {
    guard case .attribute(let rule, _) = plan.columns[index].target else { return false }
    let errors: [DepotError]
    if let cell {
      if cell.isNull, rule.isPresence {
        cells[plan.plain[index].place] = .integer(0)
        errors = []
      } else if cell.isNull {
        errors = [rule.required]
      } else {
        errors = try rule.problems(cell, session.control)
      }
    } else {
      errors = try takeUpload(field, rule, plan.plain[index].place, session)
    }
    for error in errors {
      try session.violate(error.at(place.pointer(index, plan.columns[index])))
    }
    return !errors.isEmpty
  }

  /// Reads a value of another type, which may name an upload; returns its errors.
  private func takeUpload(
    _ field: RowField,
    _ rule: FieldRule,
    _ place: Int,
    _ session: ChangeSession
  ) throws -> [DepotError] {
    guard let upload = try UploadedValue(field, layout, rule.path, session) else {
      return [rule.wrongType(field)]
    }
    cells[place] = upload.cell(in: arena)
    uploads[place] = upload
    return try upload.problems(rule, session)
  }

  /// Whether the current row has a value for a column.
  func isNamed(_ place: Int, _ named: Set<Int>, _ plan: InputPlan) -> Bool {
    named.contains(place) && !(plan.hasLinks && links.kept.contains(place))
  }

  private func wrongCount(_ count: Int, _ plan: InputPlan, _ place: RowPointer) -> DepotError {
    DepotError(
      .usage,
      "The row has \(count.pluralized("value")) for \(plan.columns.count.pluralized("column"))."
    ).at(place.pointer)
  }

  // MARK: Relationships

  private func readLink(
    _ field: RowField,
    _ index: Int,
    _ plan: InputPlan,
    _ session: ChangeSession,
    _ place: RowPointer
  ) throws -> Bool {
    var pointer: String { place.pointer(index, plan.columns[index]) }
    do {
      switch plan.columns[index].target {
      case .attribute, .ignored: break
      case .composite(let composite):
        return try read(field, composite, at: pointer, session)
      case .identifier: try readIdentifier(field)
      case .version: links.version = field.int64
      case .reference(let link, _, let position):
        let target = field.isNull ? nil : try session.target(field, of: link)
        cells[position] = target.map(Cell.integer) ?? .null
        links.references.append(RowReference(index: index, target: target))
      case .foreign(let link):
        let targets = field.isNull ? [] : [try session.target(field, of: link)]
        links.changes.append((link, .set(targets), pointer))
      case .toMany(let link):
        links.changes.append((link, try session.edit(field, of: link), pointer))
      }
      return true
    } catch let error as DepotError where error.code.class != "storage" {
      try session.violate(error.at(pointer))
      return false
    }
  }

  private func readIdentifier(_ field: RowField) throws(DepotError) {
    if field.kind == .string, field.bytes.first == UInt8(ascii: "#") {
      links.temporary = field.text
    } else if !field.isNull {
      guard let identifier = field.int64 else {
        throw DepotError(field.misfit(as: .int64)?.code ?? .type, "$id must be an identifier.")
          .hint("A temporary one is a string that begins with #.")
      }
      links.identifier = identifier
    }
  }
}

extension ChangeSession {
  /// Reads the identifier of a relationship's destination.
  func target(_ field: RowField, of link: RelationshipLink) throws -> Int64 {
    if field.kind == .string, field.bytes.first == UInt8(ascii: "#") {
      let name = field.text
      guard let (layout, identifier) = temporaries[name] else {
        throw DepotError(.reference, "No inserted row has the temporary identifier \(name).")
          .hint("Insert a row with it as its $id in the same save.").details(link.details)
      }
      guard layout.lineageNames.contains(link.destination.name) else {
        throw DepotError(
          .reference,
          "\(link.name) leads to rows of \(link.destination.name), but \(name) is a \(layout.name)."
        ).hint("Name a row of that entity, or of one that descends from it.").details(link.details)
      }
      return identifier
    }
    guard let identifier = field.int64 else {
      let code = field.misfit(as: .int64)?.code ?? .type
      throw DepotError(code, "\(link.name) takes identifiers, which this \(field.kind) isn't.")
        .hint("Write the $id of a row, or in a save the temporary one of a new row.")
        .details(link.details)
    }
    guard try isTarget(identifier, of: link) else {
      throw DepotError(
        .reference,
        "There is no \(link.destination.name)/\(identifier) for \(link.name)."
      ).hint("Insert the row first, or in the same save under a temporary identifier.").details(
        link.details
      )
    }
    return identifier
  }

  /// Reads the new destinations of a to-many relationship.
  func edit(_ field: RowField, of link: RelationshipLink) throws -> TargetEdit {
    switch field.kind {
    case .array: return .set(try targets(field.bytes, of: link))
    case .object: return try changes(field, of: link)
    default:
      throw DepotError(.type, "\(link.name) takes a list of identifiers, not \(field.kind).")
        .hint("To change the list, write {\"add\":[…],\"remove\":[…]}.").details(link.details)
    }
  }

  private func targets(
    _ bytes: UnsafeBufferPointer<UInt8>,
    of link: RelationshipLink
  ) throws -> [Int64] {
    var reader = try RowReader(bytes)
    var result: [Int64] = []
    while !reader.isAtEndOfRow() {
      let identifier = try target(try reader.field(), of: link)
      // Most lists are short, so that a set would cost more than it saves.
      if result.count < 16, result.contains(identifier) { continue }
      result.append(identifier)
    }
    try reader.endRow()
    guard result.count > 16 else { return result }
    var seen: Set<Int64> = []
    return result.filter { seen.insert($0).inserted }
  }

  private func changes(_ field: RowField, of link: RelationshipLink) throws -> TargetEdit {
    var (add, remove): ([Int64], [Int64]) = ([], [])
    var position: Int?
    let document = try JSONDocument(Array(field.bytes))
    for (name, value) in try document.root.members() {
      switch try name.string() {
      case "add": add = try targets(Array(document.bytes[value.range]), value, of: link)
      case "remove":
        // A row that no longer exists can also be removed.
        remove = try value.elements().map { node in
          if node.kind == .string, let temporary = temporaries[try node.string()] {
            return temporary.identifier
          }
          return try node.int64()
        }
      case "at": position = Int(try value.int64())
      case let other:
        throw DepotError(.unknownMember, "\"\(other)\" is no change of a to-many relationship.")
          .hint("There are add, remove, and at.").details(link.details)
      }
    }
    if position != nil, !link.relationship.isOrdered {
      throw DepotError(.usage, "\(link.name) has no order, so \"at\" means nothing.")
        .details(link.details)
    }
    let removed = Set(remove)
    if let both = add.first(where: removed.contains) {
      throw DepotError(.usage, "\(both) is to be both added and removed.").details(link.details)
    }
    return .edit(add: add, remove: remove, at: position)
  }

  private func targets(
    _ bytes: [UInt8],
    _ node: JSONNode,
    of link: RelationshipLink
  ) throws -> [Int64] {
    guard node.kind == .array else { throw node.wrongType("an array") }
    return try bytes.withUnsafeBufferPointer { try targets($0, of: link) }
  }
}

extension RelationshipLink {
  /// The details of errors, for programs.
  var details: [String: JSONValue] {
    ["entity": .string(layout.owner), "attribute": .string(layout.name)]
  }
}
