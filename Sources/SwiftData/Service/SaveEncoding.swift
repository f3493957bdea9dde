internal import DepotProtocol

/// The request that saves changes, and the reading of its answer.
struct SaveEncoding {
  /// How many rows a part of the request has at most, so that it can be sent in parts.
  fileprivate static let rowsInPart = 5000

  private let changes: SaveChanges
  /// Whether the request changes each of the updated objects of ``changes``.
  private(set) var sentUpdates: [Bool] = []
  private(set) var request: SaveRequest

  /// - Throws: ``SwiftDataError/modelValidationFailure`` if a value can't be stored.
  init(_ changes: SaveChanges) throws {
    self.changes = changes
    request = SaveRequest(policy: changes.policy, answersInRuns: true)
    try addInserts()
    try addUpdates()
    addDeletes()
    let required = Dictionary(grouping: changes.required) { $0.link.storage.description.name }
    for (entity, objects) in required.sorted(by: { $0.key < $1.key }) {
      request.reads.append(
        SaveRequest.ReadSet(
          entity: entity,
          identifiers: objects.compactMap(\.link.storage.identifier.row),
          versions: objects.map(\.version)
        )
      )
    }
  }

  /// Whether there is nothing to send.
  var isEmpty: Bool {
    request.inserts.isEmpty && request.updates.isEmpty && request.deletes.isEmpty
      && request.reads.isEmpty
  }

  // MARK: - Inserted rows

  private mutating func addInserts() throws {
    for links in changes.inserted.byClass {
      let description = links[0].storage.description
      let properties = description.properties.filter { property in
        guard property.destination != nil else { return true }
        guard property.isToMany else { return property.shape.isSaved }
        return property.isSavedList && links.contains { $0.storage.hasTargets(property.slot) }
      }
      let slots = properties.map(\.slot)
      try request.addInserts(of: description, properties, links, identified: true) { link, row in
        let storage = link.storage
        storage.identifier.write(to: &row)
        for slot in slots { try storage.write(slot, to: &row) }
      }
    }
  }

  /// Returns the request that inserts rows without objects.
  static func request(
    inserting rows: [[Slot]],
    of description: EntityDescription,
    _ policy: MergePolicy
  ) throws -> SaveRequest {
    var request = SaveRequest(policy: policy)
    let properties = description.properties.filter { !$0.isToMany }
    try request.addInserts(of: description, properties, rows) { slots, row in
      for property in properties {
        try description.write(slots[property.slot], of: property.slot, to: &row)
      }
    }
    return request
  }

  // MARK: - Changed rows

  /// The form of the rows of one part of the request.
  private struct Shape: Hashable {
    var description: ObjectIdentifier
    var slots: SlotSet
    var baseSlots: SlotSet
  }

  /// Changed objects whose rows have the same form, by their indexes among the updated objects.
  @Memberwise("shape")
  private struct ShapeGroup {
    let shape: Shape
    var members: [Int] = []
  }

  private mutating func addUpdates() throws {
    for group in shapeGroups() {
      for part in group.members.chunks(of: Self.rowsInPart) { try addUpdate(group.shape, part) }
    }
  }

  /// Determines the columns of the changed objects; returns the objects that have any by their forms.
  private mutating func shapeGroups() -> [ShapeGroup] {
    var groups: [ShapeGroup] = []
    var positions: [Shape: Int] = [:]
    var columns: [ObjectIdentifier: SlotSet] = [:]
    var (all, latest, position) = (SlotSet(), Shape?.none, -1)
    for (index, link) in changes.updated.enumerated() {
      let storage = link.storage
      let slots = slots(of: storage)
      sentUpdates.append(!slots.isEmpty)
      guard !slots.isEmpty else { continue }
      let key = ObjectIdentifier(storage.description)
      if key != latest?.description {
        all = columns[key] ?? storage.description.savedColumns
        columns[key] = all
      }
      let baseSlots = storage.version == 0 ? SlotSet() : baseColumns(of: storage, all, slots)
      let shape = Shape(description: key, slots: slots, baseSlots: baseSlots)
      if shape != latest {
        position = positions[shape] ?? groups.count
        if position == groups.count {
          groups.append(ShapeGroup(shape))
          positions[shape] = position
        }
        latest = shape
      }
      groups[position].members.append(index)
    }
    return groups
  }

  /// The properties of a changed object that are sent.
  private func slots(of storage: ModelStorage) -> SlotSet {
    var slots = storage.changedColumns()
    guard storage.newer?.isGone == true else { return slots }
    // New members of its lists refer to it: the policy decides whether a deleted row is made again.
    let isAsked = slots.isEmpty
    // Making it again needs large values from here: of values that were read, only the length is
    // sent.
    let description = storage.description
    let more = description.savedColumns.filter { slot in
      (isAsked || description.properties[slot].isExternal || storage.isLarge(slot))
        && storage.wasRead(slot) && !storage.isUnloaded(slot)
    }
    slots.formUnion(more)
    return slots
  }

  /// Adds the changes of objects of one form, by their indexes.
  private mutating func addUpdate(_ shape: Shape, _ members: [Int]) throws {
    let description = changes.updated[members[0]].storage.description
    func paths(_ slots: SlotSet) -> [String] { slots.flatMap { description.properties[$0].paths } }
    var rows = RowBatch()
    let slots = Array(shape.slots)
    try rows.appendRows(members.count) { index, row in
      let storage = changes.updated[members[index]].storage
      storage.identifier.write(to: &row)
      if storage.version == 0 { row.appendNull() } else { row.append(storage.version) }
      for slot in slots { try storage.writeChange(slot, to: &row) }
    }
    var base: SaveRequest.Base?
    if !shape.baseSlots.isEmpty {
      var rows = RowBatch()
      let slots = Array(shape.baseSlots)
      try rows.appendRows(members.count) { index, row in
        let storage = changes.updated[members[index]].storage
        row.writesLengths = true
        for slot in slots { try storage.writeStored(slot, to: &row) }
      }
      base = SaveRequest.Base(columns: paths(shape.baseSlots), rows: rows)
    }
    request.updates.append(
      SaveRequest.Change(
        entity: description.name,
        columns: ["$id", "$version"] + paths(shape.slots),
        rows: rows,
        base: base
      )
    )
  }

  /// The properties whose base values are sent.
  ///
  /// A policy that can write deleted rows again needs all of them.
  private func baseColumns(
    of storage: ModelStorage,
    _ all: SlotSet,
    _ slots: SlotSet
  ) -> SlotSet {
    let isWhole =
      changes.policy == .mergeByPropertyObjectTrump || changes.policy == .overwrite
    var columns = all.filter { (isWhole || slots.contains($0)) && storage.wasRead($0) }
    // New and lost members of lists merge; two orders don't.
    columns.formUnion(slots.filter { storage.listChange($0)?.hasOrder == true })
    return columns
  }

  // MARK: - Deleted rows

  private mutating func addDeletes() {
    for links in changes.deleted.byClass {
      let entity = links[0].storage.description.name
      var known = SaveRequest.Deletion(entity: entity, identifiers: [], versions: [])
      var unknown = SaveRequest.Deletion(entity: entity, identifiers: [])
      for link in links {
        guard let row = link.storage.identifier.row else { continue }
        let version = link.storage.version
        if version == 0 {
          unknown.identifiers.append(row)
        } else {
          known.identifiers.append(row)
          known.versions?.append(version)
        }
      }
      request.deletes += [known, unknown].filter { !$0.identifiers.isEmpty }
    }
  }
}

extension SaveRequest {
  /// Adds the insertions of rows, whose identifiers and values `write` writes.
  fileprivate mutating func addInserts<Row>(
    of description: EntityDescription,
    _ properties: [PropertyDescription],
    _ rows: [Row],
    identified: Bool = false,
    _ write: (Row, inout RowWriter) throws -> Void
  ) throws {
    let columns = (identified ? ["$id"] : []) + properties.flatMap(\.paths)
    for part in rows.chunks(of: SaveEncoding.rowsInPart) {
      var batch = RowBatch()
      try batch.appendRows(part.count) { index, row in try write(part[index], &row) }
      inserts.append(Insertion(entity: description.name, columns: columns, rows: batch))
    }
  }
}

extension PersistentIdentifier {
  /// The identifier as a request names it.
  var wireValue: Value {
    switch key {
    case .row(let row): .int64(row)
    case .temporary(let number): .string("#" + String(number))
    case .custom(let text): .string(text)
    }
  }

  /// Writes the identifier as a request names it.
  func write(to row: inout RowWriter) {
    switch key {
    case .row(let number): row.append(number)
    case .temporary(let number): row.append(temporary: number)
    case .custom(let text): row.append(text)
    }
  }
}

extension EntityDescription {
  /// Writes a value to the columns of a property.
  func write(_ value: Slot, of slot: Int, to row: inout RowWriter) throws {
    switch value {
    case .value(let cell):
      guard let codec = codecs[slot] else { return row.appendNull() }
      do {
        try codec._withUnsafeGuaranteedRef { codec in
          if hasExternalValues, properties[slot].isExternal {
            try row.external { row in try codec.write(cell, to: &row) }
          } else {
            try codec.write(cell, to: &row)
          }
        }
      } catch {
        var failure = SwiftDataError(any: error)
        failure.entity = name
        failure.property = properties[slot].name
        throw failure
      }
    case .many(let list):
      row.append(Value.list(list?.allIdentifiers.map(\.wireValue) ?? []))
    case .nothing, .unloaded: row.appendNull()
    case .link, .reference, .weak:
      if let target = value.targetIdentifier { target.write(to: &row) } else { row.appendNull() }
    }
  }
}

extension EntityDescription {
  /// The properties that a row has columns for.
  fileprivate var savedColumns: SlotSet {
    SlotSet(properties.filter(\.hasColumn).map(\.slot))
  }
}

extension ModelStorage {
  /// Writes the value of a property.
  fileprivate final func write(_ slot: Int, to row: inout RowWriter) throws {
    try withDescription { try $0.write(slots[slot], of: slot, to: &row) }
  }

  /// Writes the value of a property as it was read.
  final func writeStored(_ slot: Int, to row: inout RowWriter) throws {
    guard changed.contains(slot) else { return try write(slot, to: &row) }
    try withDescription { try $0.write(base[slot] ?? .unloaded, of: slot, to: &row) }
  }

  /// Writes the change of a property.
  final func writeChange(_ slot: Int, to row: inout RowWriter) throws {
    if withDescription({ $0.codecs[slot] != nil }) { return try write(slot, to: &row) }
    let property = description.properties[slot]
    guard property.isToMany else { return try write(slot, to: &row) }
    if let delta = deltas[slot] {
      row.append(.json(ListChange(delta).text))
    } else if let change = listChange(slot), newer?.isGone != true || !property.isOrderedList {
      row.append(.json(change.text))
    } else {
      try write(slot, to: &row)
    }
  }
}
