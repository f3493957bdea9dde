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
      if try !read(field, column, index, plan, session, place()) { isSound = false }
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

  /// Reads a value; returns whether it breaks no rule.
  @inline(__always)
  private func read(
    _ field: RowField,
    _ column: InputPlan.PlainColumn,
    _ index: Int,
    _ plan: InputPlan,
    _ session: ChangeSession,
    _ place: @autoclosure () -> RowPointer
  ) throws -> Bool {
    guard column.isAttribute else { return try readLink(field, index, plan, session, place()) }
    guard let cell = Cell(field, as: column.form, in: arena) else {
      return try takeOther(field, index, plan, session, place())
    }
    return try take(cell, column, index, plan, session, place())
  }

  /// Takes a value; returns whether it breaks no rule.
  @inline(__always)
  private func take(
    _ cell: Cell,
    _ column: InputPlan.PlainColumn,
    _ index: Int,
    _ plan: InputPlan,
    _ session: ChangeSession,
    _ place: @autoclosure () -> RowPointer
  ) throws -> Bool {
    if column.place >= 0 { cells[column.place] = cell }
    guard
      cell.isNull ? !column.isOptional : column.hasCheck || cell.byteCount > Limits.valueBytes
    else { return true }
    return try check(cell, index, plan, session, place())
  }

  /// Adds the errors of a value; returns whether there are none.
  private func check(
    _ cell: Cell,
    _ index: Int,
    _ plan: InputPlan,
    _ session: ChangeSession,
    _ place: RowPointer
  ) throws -> Bool {
    guard case .attribute(let rule, _) = plan.columns[index].target else { return true }
    if cell.isNull, rule.isPresence {
      cells[plan.plain[index].place] = .integer(0)
      return true
    }
    let errors = try cell.isNull ? [rule.required] : rule.problems(cell, session.control)
    return try add(errors, index, plan, session, place)
  }

  private func add(
    _ errors: [DepotError],
    _ index: Int,
    _ plan: InputPlan,
    _ session: ChangeSession,
    _ place: RowPointer
  ) throws -> Bool {
    for error in errors {
      try session.violate(error.at(place.pointer(index, plan.columns[index])))
    }
    return errors.isEmpty
  }

  /// Reads a value of another type, which may name an upload; returns whether it breaks no rule.
  private func takeOther(
    _ field: RowField,
    _ index: Int,
    _ plan: InputPlan,
    _ session: ChangeSession,
    _ place: RowPointer
  ) throws -> Bool {
    guard case .attribute(let rule, _) = plan.columns[index].target else { return true }
    guard let upload = try UploadedValue(field, layout, rule.path, session) else {
      return try add([rule.wrongType(field)], index, plan, session, place)
    }
    let position = plan.plain[index].place
    cells[position] = upload.cell(in: arena)
    uploads[position] = upload
    return try add(upload.problems(rule, session), index, plan, session, place)
  }

  // MARK: Values of the history

  /// Takes a row's values into the cells and ``links``, and adds the rules that they break.
  ///
  /// It returns whether no rule is broken.
  func takeRow(
    _ values: [HistoryValue],
    _ plan: InputPlan,
    _ session: ChangeSession,
    _ place: RowPointer
  ) throws -> Bool {
    arena.removeAll()
    links.removeAll()
    uploads.removeAll()
    var isSound = true
    for (index, value) in values.enumerated()
    where try !take(value, plan.plain[index], index, plan, session, place) {
      isSound = false
    }
    return isSound
  }

  /// Takes a value in the form of its column; returns whether it breaks no rule.
  private func take(
    _ value: HistoryValue,
    _ column: InputPlan.PlainColumn,
    _ index: Int,
    _ plan: InputPlan,
    _ session: ChangeSession,
    _ place: RowPointer
  ) throws -> Bool {
    if let reference = value.reference {
      return try take(reference, index, plan, session, place)
    }
    guard column.isAttribute else { return try takeLink(value, index, plan, session, place) }
    let cell = value.cell(in: arena)
    guard case .list = column.form, case .text(let text) = cell else {
      return try take(cell, column, index, plan, session, place)
    }
    // The schema may have made the elements smaller since, or the list a set.
    let list = RowField(kind: .array, isComplex: true, bytes: text)
    return try read(list, column, index, plan, session, place)
  }

  /// Takes a value that is kept outside its row; returns whether it breaks no rule.
  private func take(
    _ reference: BlobReference,
    _ index: Int,
    _ plan: InputPlan,
    _ session: ChangeSession,
    _ place: RowPointer
  ) throws -> Bool {
    guard case .attribute(let rule, _) = plan.columns[index].target else { return true }
    let target = try BlobTarget(layout, nil, rule.path)
    try KeptValues(connection: connection).forget(reference.number, of: target.table.name)
    let position = plan.plain[index].place
    do {
      let problems = try rule.problems(reference, of: target, session)
      cells[position] = reference.cell(isText: target.isText, in: arena)
      if let bytes = try target.content(reference, on: connection) {
        cells[position] = target.cell(arena.copy(bytes))
        try BlobWriter(connection: connection, table: target.table).delete(reference.number)
      }
      return try add(problems, index, plan, session, place)
    } catch {
      throw DepotError.blob(error, target)
    }
  }

  /// Takes a relationship, or the presence of a composite that stores no parts; returns whether it
  /// breaks no rule.
  private func takeLink(
    _ value: HistoryValue,
    _ index: Int,
    _ plan: InputPlan,
    _ session: ChangeSession,
    _ place: RowPointer
  ) throws -> Bool {
    let pointer = place.pointer(index, plan.columns[index])
    return try reporting(pointer, session) {
      switch plan.columns[index].target {
      case .reference(let link, _, let position):
        let target = try value.identifier.map { try session.target($0, of: link) }
        set(target, at: position, index)
      case .foreign(let link):
        let targets = try value.identifier.map { [try session.target($0, of: link)] }
        links.changes.append((link, .set(targets ?? []), pointer))
      case .composite(let composite): setPresence(of: composite, value.identifier == 1)
      case .identifier, .version, .attribute, .toMany, .ignored: break
      }
      return true
    }
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
    return try reporting(pointer, session) {
      switch plan.columns[index].target {
      case .attribute, .ignored: break
      case .composite(let composite):
        return try read(field, composite, at: pointer, session)
      case .identifier: try readIdentifier(field)
      case .version: links.version = field.int64
      case .reference(let link, _, let position):
        set(field.isNull ? nil : try session.target(field, of: link), at: position, index)
      case .foreign(let link):
        let targets = field.isNull ? [] : [try session.target(field, of: link)]
        links.changes.append((link, .set(targets), pointer))
      case .toMany(let link):
        links.changes.append((link, try session.edit(field, of: link), pointer))
      }
      return true
    }
  }

  /// Sets a reference in the row.
  @inline(__always)
  private func set(_ target: Int64?, at position: Int, _ index: Int) {
    cells[position] = target.map(Cell.integer) ?? .null
    links.references.append(RowReference(index: index, target: target))
  }

  /// Reports an error that `body` throws as a broken rule, except one of the storage.
  @inline(__always)
  private func reporting(
    _ pointer: @autoclosure () -> String,
    _ session: ChangeSession,
    _ body: () throws -> Bool
  ) throws -> Bool {
    do {
      return try body()
    } catch let error as DepotError where error.code.class != "storage" {
      try session.violate(error.at(pointer()))
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
          .hint("Insert a row with it as its $id in the same save.").details(of: link)
      }
      guard layout.lineageNames.contains(link.destination.name) else {
        throw DepotError(
          .reference,
          "\(link.name) leads to rows of \(link.destination.name), but \(name) is a \(layout.name)."
        ).hint("Name a row of that entity, or of one that descends from it.").details(of: link)
      }
      return identifier
    }
    guard let identifier = field.int64 else {
      let code = field.misfit(as: .int64)?.code ?? .type
      throw DepotError(code, "\(link.name) takes identifiers, which this \(field.kind) isn't.")
        .hint("Write the $id of a row, or in a save the temporary one of a new row.")
        .details(of: link)
    }
    return try target(identifier, of: link)
  }

  /// Returns the identifier of a relationship's destination, if there is such a row.
  func target(_ identifier: Int64, of link: RelationshipLink) throws -> Int64 {
    guard try isTarget(identifier, of: link) else {
      throw DepotError(
        .reference,
        "There is no \(link.destination.name)/\(identifier) for \(link.name)."
      ).hint("Insert the row first, or in the same save under a temporary identifier.")
        .details(of: link)
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
        .hint("To change the list, write {\"add\":[…],\"remove\":[…]}.").details(of: link)
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
    var placement: TargetEdit.Placement?
    var members: [(name: String, value: RowField)] = []
    var reader = RowReader(value: field.bytes)
    try reader.object { name, reader throws(DepotError) in
      members.append((name, try reader.field()))
    }
    for (name, value) in members {
      switch name {
      case "add":
        try value.checkIsList()
        add = try targets(value.bytes, of: link)
      case "remove":
        try value.checkIsList()
        remove = try identifiers(value.bytes)
      case "at": placement = .at(Int(try value.wholeNumber()))
      case "order":
        try value.checkIsList()
        var seen: Set<Int64> = []
        placement = .order(try identifiers(value.bytes).filter { seen.insert($0).inserted })
      default:
        throw DepotError(.unknownMember, "\"\(name)\" is no change of a to-many relationship.")
          .hint("There are add, remove, at, and order.").details(of: link)
      }
    }
    if let placement, !link.relationship.isOrdered {
      let name = if case .at = placement { "at" } else { "order" }
      throw DepotError(.usage, "\(link.name) has no order, so \"\(name)\" means nothing.")
        .details(of: link)
    }
    let removed = Set(remove)
    if let both = add.first(where: removed.contains) {
      throw DepotError(.usage, "\(both) is to be both added and removed.").details(of: link)
    }
    return .edit(add: add, remove: remove, place: placement)
  }

  /// Reads identifiers of rows that needn't exist any more.
  private func identifiers(_ bytes: UnsafeBufferPointer<UInt8>) throws -> [Int64] {
    var reader = try RowReader(bytes)
    var result: [Int64] = []
    while !reader.isAtEndOfRow() {
      let field = try reader.field()
      let temporary = field.kind == .string ? temporaries[field.text]?.identifier : nil
      result.append(try temporary ?? field.wholeNumber())
    }
    return result
  }
}

extension RowField {
  fileprivate func checkIsList() throws(DepotError) {
    guard kind == .array else { throw DepotError(.type, "Expected an array, found \(kind).") }
  }

  fileprivate func wholeNumber() throws(DepotError) -> Int64 {
    if let int64 { return int64 }
    guard misfit(as: .int64) == nil else {
      throw DepotError(.numberRange, "The number is beyond 64 bits.")
    }
    throw DepotError(.type, "Expected a whole number, found \(kind).")
  }
}

extension DepotError {
  /// Returns the error with the relationship that it is about.
  fileprivate func details(of link: RelationshipLink) -> DepotError {
    details(entity: link.layout.owner, attribute: link.layout.name)
  }
}
