internal import DepotProtocol
internal import DepotSQLite

/// Transforms the rows of one entity for the new schema.
final class RowTransform {
  /// The entity in the new schema.
  let entity: EntityLayout
  /// The root entity, whose table gets the rows.
  let root: EntityLayout
  let columns: [Column]
  let links: [LinkColumn]
  private let composites: [CompositeLayout]
  private let kindPlace: Int?
  private let arena = CellArena()
  private let fillArena = CellArena()
  /// The migration of values outside the row; set it before a row is transformed.
  var moves: BlobMoves?
  /// The number added to identifiers.
  var shift: Int64 = 0
  /// The control that can cancel the check of a value.
  var control = CallControl.unstoppable

  /// A column of an attribute.
  struct Column {
    var path: String
    /// The index among the stored columns of ``root``.
    var place: Int
    /// The index among the stored columns of the old table; `nil` for a new column.
    var source: Int?
    var conversion: ValueConversion?
    /// The value that replaces null.
    var fill: Cell
    /// The value if a composite around the old value, which was optional before, is absent.
    ///
    /// `presences` are the indexes of the presence columns of these composites.
    var absent: (fill: Cell, presences: [Int])?
    /// The storage of the old value if it may be outside the row.
    var outside: Outside?
    var isRequired: Bool
    /// Whether the column of the old row may be null, although it is required now.
    var isNewlyRequired: Bool
    var check: ValueCheck?
  }

  /// A value stored outside the old row.
  struct Outside {
    var isText: Bool
    /// Whether it is also stored outside the new row.
    var stays: Bool
    /// Whether it is so only if it is too large for the row.
    var staysIfLarge: Bool
  }

  /// The column of a to-one relationship.
  struct LinkColumn {
    var place: Int
    var orderPlace: Int?
    var source: Int?
    var orderSource: Int?
    /// Finds a row's destination if it isn't stored in the old row.
    var lookup: Statement?
  }

  init(
    _ entity: EntityLayout,
    root: EntityLayout,
    from old: EntityLayout,
    _ mapping: MigrationMapping,
    _ links: [LinkMigration],
    _ options: MigrationRun.Options,
    on connection: Connection
  ) throws {
    self.entity = entity
    self.root = root
    let (places, oldPlaces) = (root.columnIndicesByName, old.columnIndicesByName)
    let target = { (position: Int) in places[entity.stored[position].name] ?? 0 }
    var columns: [Column] = []
    var linkColumns: [LinkColumn] = []
    for (position, field) in entity.fields.enumerated() {
      guard let storedPosition = entity.storedPositions[position] else { continue }
      let place = target(storedPosition)
      if let relationship = field.relationship {
        linkColumns.append(
          try Self.link(
            relationship,
            entity.stored[storedPosition].name,
            place,
            (places, oldPlaces),
            (entity, field.owner),
            mapping,
            links,
            connection
          )
        )
        continue
      }
      let before = mapping.source(of: field.path, in: entity.name)
      let source = before.flatMap { before in
        mapping.old[before.owner].flatMap {
          oldPlaces[mapping.old.columnName("a", before.path, $0)]
        }
      }
      let conversion = before.flatMap {
        ValueConversion(from: $0.attribute, to: field.attribute)
      }
      let isChecked =
        !options.isLenient
        && (options.checksEverything
          || source != nil
            && (conversion != nil || before?.attribute.validation != field.attribute.validation))
      var carrier = field.attribute
      carrier.defaultValue =
        source == nil || !field.attribute.isOptional
        ? mapping.fill(of: field, in: entity.entity) : nil
      columns.append(
        Column(
          path: field.path,
          place: place,
          source: source,
          conversion: source == nil ? nil : conversion,
          fill: try Cell(defaultOf: carrier, in: fillArena),
          absent: try Self.absent(field, before, entity, mapping, oldPlaces, fillArena),
          outside: source.flatMap {
            guard let type = old.stored[$0].externalType else { return nil }
            let isExternal = conversion == nil && root.stored[place].isExternal
            let movesIn = root.stored[place].isWidened && !old.stored[$0].isWidened
            return Outside(
              isText: type == .string,
              stays: isExternal && !movesIn,
              staysIfLarge: isExternal && movesIn
            )
          },
          isRequired: !field.attribute.isOptional,
          isNewlyRequired: mapping.isNewlyRequired(field.path, in: entity.name),
          check: isChecked ? try ValueCheck(field.attribute) : nil
        )
      )
    }
    self.columns = columns
    self.links = linkColumns
    composites = entity.composites.map { $0.moved(target) }
    kindPlace = root.kindPosition
  }

  /// Returns the default of an optional part in an absent composite that becomes required.
  private static func absent(
    _ field: Field,
    _ before: Field?,
    _ entity: EntityLayout,
    _ mapping: MigrationMapping,
    _ oldPlaces: [String: Int],
    _ arena: CellArena
  ) throws -> (fill: Cell, presences: [Int])? {
    guard let before, field.attribute.isOptional, field.attribute.defaultValue != nil,
      let owner = mapping.old[before.owner]
    else { return nil }
    let (steps, oldSteps) = (field.path.split(separator: "."), before.path.split(separator: "."))
    guard steps.count == oldSteps.count else { return nil }
    let presences = (1..<max(1, steps.count)).compactMap { count -> Int? in
      let path = steps.prefix(count).joined(separator: ".")
      if entity.position(of: path) != nil { return nil }
      let oldPath = oldSteps.prefix(count).joined(separator: ".")
      return oldPlaces[mapping.old.columnName("a", oldPath, owner)]
    }
    if presences.isEmpty { return nil }
    return (try Cell(defaultOf: field.attribute, in: arena), presences)
  }

  private static func link(
    _ relationship: Relationship,
    _ column: String,
    _ place: Int,
    _ places: (new: [String: Int], old: [String: Int]),
    _ owner: (entity: EntityLayout, name: String),
    _ mapping: MigrationMapping,
    _ links: [LinkMigration],
    _ connection: Connection
  ) throws -> LinkColumn {
    var result = LinkColumn(
      place: place,
      orderPlace: places.new["o_\(column.dropFirst(2))"]
    )
    let link = links.first { $0.layout.owner == owner.name && $0.layout.name == relationship.name }
    guard let link else { return result }
    guard link.isKept else {
      result.lookup = try connection.statement(
        "SELECT far, far_order FROM \(link.pairs) WHERE near = ?1"
      )
      return result
    }
    guard
      let before = mapping.source(ofRelationship: relationship.name, in: owner.entity.name),
      let declaring = mapping.old[before.owner]
    else { return result }
    result.source = places.old[mapping.old.columnName("r", before.name, declaring)]
    result.orderSource = places.old[mapping.old.columnName("o", before.name, declaring)]
    return result
  }

  /// Makes the cells of a new row; returns whether the row can be stored.
  ///
  /// The cells are valid until the old row's statement steps. If the row can't be stored, the
  /// findings have the reason.
  func transform(
    _ row: borrowing Row,
    into cells: UnsafeMutableBufferPointer<Cell>,
    _ findings: inout MigrationFindings
  ) throws -> Bool {
    arena.removeAll()
    cells.update(repeating: .null)
    var isReadable = true
    for column in columns {
      guard let cell = try cell(row, column, &findings) else {
        isReadable = false
        continue
      }
      cells[column.place] = cell
    }
    if let kindPlace { cells[kindPlace] = .integer(Int64(entity.number)) }
    for link in links { try read(link, row, into: cells) }
    settle(cells)
    return try check(row.integer(0), cells, &findings) && isReadable
  }

  /// Moves values outside the row if the new table requires that.
  ///
  /// Call it only for a row that will be stored.
  func moveOut(_ identifier: Int64, _ cells: UnsafeMutableBufferPointer<Cell>) throws {
    guard root.hasExternalColumns else { return }
    do {
      try moves?.store(cells, of: root, arena)
    } catch let damage as BlobReader.Damage {
      throw damaged(damage, identifier)
    }
  }

  private func damaged(_ damage: BlobReader.Damage, _ identifier: Int64) -> DepotError {
    DepotError(.corrupt, "\(entity.name)/\(identifier) is damaged. \(damage.message)")
      .hint("Restore the store from a backup, or write the value anew.")
  }

  /// Returns the value of a reference, or reports that it is too large and returns `nil`.
  ///
  /// With `keepsLarge`, it returns the reference to a value that is too large.
  private func value(
    _ cell: Cell,
    _ outside: Outside,
    keepsLarge: Bool = false,
    _ identifier: Int64,
    _ path: String,
    _ findings: inout MigrationFindings
  ) throws -> Cell? {
    guard let bytes = cell.externalValue(isText: !outside.isText), let reader = moves?.reader else {
      return cell
    }
    do {
      guard let reference = BlobReference(bytes) else { throw BlobReader.Damage.reference }
      guard reference.length <= Limits.valueBytes else {
        if keepsLarge { return cell }
        findings.add(
          .valueTooLarge,
          entity.name,
          identifier,
          path,
          "The \(reference.length) bytes of \(path) of \(entity.name)/\(identifier) are over the "
            + "limit of \(Limits.valueBytes) in a row."
        )
        return nil
      }
      let value = arena.copy(try reader.value(reference))
      return outside.isText ? .text(value) : .blob(value)
    } catch let damage as BlobReader.Damage {
      throw damaged(damage, identifier)
    }
  }

  /// Returns the value for a column, or reports that it is too large and returns `nil`.
  private func cell(
    _ row: borrowing Row,
    _ column: Column,
    _ findings: inout MigrationFindings
  ) throws -> Cell? {
    var cell = column.source.map { Cell(row, $0 + 2) } ?? .null
    if let outside = column.outside, !outside.stays {
      let value = try value(
        cell,
        outside,
        keepsLarge: outside.staysIfLarge,
        row.integer(0),
        column.path,
        &findings
      )
      guard let value else { return nil }
      cell = value
    }
    if let conversion = column.conversion {
      guard let converted = try conversion.convert(cell, in: arena) else {
        throw DepotError(
          .corrupt,
          "\(column.path) of \(entity.name)/\(row.integer(0)) isn't stored as its type is."
        ).hint("Restore the store from a backup, or delete the row.")
      }
      cell = converted
    }
    if let absent = column.absent, absent.presences.contains(where: { row.integer($0 + 2) == 0 }) {
      return absent.fill
    }
    return cell.isNull ? column.fill : cell
  }

  private func read(
    _ link: LinkColumn,
    _ row: borrowing Row,
    into cells: UnsafeMutableBufferPointer<Cell>
  ) throws {
    if let lookup = link.lookup {
      defer { lookup.reset() }
      try lookup.bind(row.integer(0) + shift, at: 1)
      guard try lookup.step() else { return }
      cells[link.place] = Cell(lookup.row, 0)
      if let place = link.orderPlace { cells[place] = Cell(lookup.row, 1) }
      return
    }
    if let source = link.source { cells[link.place] = Cell(row, source + 2) }
    if let place = link.orderPlace, let source = link.orderSource {
      cells[place] = Cell(row, source + 2)
    }
  }

  /// Makes the parts of optional composites consistent with their presences.
  private func settle(_ cells: UnsafeMutableBufferPointer<Cell>) {
    for composite in composites {
      guard case .integer(let value) = cells[composite.presence], value != 0 else {
        for part in composite.parts { cells[part.place] = .null }
        for place in composite.innerPresences { cells[place] = .integer(0) }
        continue
      }
      for part in composite.parts where part.isRequired && cells[part.place].isNull {
        if let value = part.defaultValue { cells[part.place] = Cell(value, in: arena) }
      }
    }
  }

  private func check(
    _ identifier: Int64,
    _ cells: UnsafeMutableBufferPointer<Cell>,
    _ findings: inout MigrationFindings
  ) throws -> Bool {
    var isStorable = true
    let name = entity.name
    func refuse(_ path: String, _ message: String) {
      findings.add(.required, name, identifier, path, "\(name)/\(identifier) \(message).")
      isStorable = false
    }
    func missing(_ path: String) { refuse(path, "has no \(path), which is required") }
    if entity.entity.isAbstract { refuse("$entity", "is of an abstract entity") }
    for column in columns {
      var cell = cells[column.place]
      if cell.isNull {
        if column.isRequired { missing(column.path) }
      } else if let check = column.check {
        if let outside = column.outside, outside.stays || outside.staysIfLarge {
          guard let value = try value(cell, outside, identifier, column.path, &findings) else {
            isStorable = false
            continue
          }
          cell = value
        }
        for failure in try check.failures(cell, control) {
          findings.add(
            failure.code,
            name,
            identifier,
            column.path,
            "\(column.path) of \(name)/\(identifier) \(failure.message)."
          )
        }
      }
    }
    for composite in composites {
      guard case .integer(let value) = cells[composite.presence], value != 0 else { continue }
      for part in composite.parts where part.isRequired && cells[part.place].isNull {
        missing(part.path)
      }
    }
    return isStorable
  }
}

extension CompositeLayout {
  /// Returns the layout with other column indexes.
  fileprivate func moved(_ place: (Int) -> Int) -> CompositeLayout {
    var copy = self
    copy.presence = place(presence)
    copy.innerPresences = innerPresences.map(place)
    for index in copy.parts.indices { copy.parts[index].place = place(parts[index].place) }
    return copy
  }
}
