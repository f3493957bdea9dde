internal import DepotClient
internal import DepotProtocol

/// The rows of one answer on their way into the objects of a context.
///
/// Objects of the context keep the program's changes. Observers are notified of changes by others
/// once all rows are there, since they may ask the store for more.
final class RowIntake {
  /// A row of a registered object that is newer than the context's values.
  private struct Renewal {
    let link: ObjectReference
    let version: Int64
    /// The range of its values in ``RowIntake/values``.
    let values: Range<Int>
  }

  /// The prefetched targets of a to-many relationship.
  private struct Branch {
    var links: [ObjectReference] = []
    /// The rows that the relationship leads to, by the rows that it leads from.
    var targets: [Int64: [Int64]] = [:]
  }

  /// The class of some rows; one object has all of it, so that each row retains one only.
  @Memberwise
  private final class RowClass {
    let name: String
    let description: EntityDescription
    let key: EntityKey
    let layout: RowLayout
  }

  private let context: ModelContext
  private let store: String
  private let plan: RowPlan
  private let descriptions: [String: EntityDescription]
  private let table: IdentityTable
  /// The class of the last row.
  @exclusivity(unchecked) private var known: RowClass
  @exclusivity(unchecked) private(set) var links: [ObjectReference] = []
  private var renewals: [Renewal] = []
  private var values: [(slot: Int, value: Slot)] = []
  /// The objects whose newer rows lack values that are loaded.
  private var outdated: [ObjectReference] = []
  private var group: FetchGroup?
  /// Whether a value is too large for its row.
  @exclusivity(unchecked) private(set) var lacksValues = false
  private var branches: [String: Branch] = [:]
  private var branchPlans: [String: RowPlan] = [:]

  init(_ context: ModelContext, _ store: String, _ plan: RowPlan, grouped: Bool) {
    context.willRead()
    self.context = context
    self.store = store
    self.plan = plan
    descriptions = context.core.descriptions
    let description = plan.description
    let key = description.key(in: store)
    table = context.identityMap.table(of: key)
    known = RowClass(
      name: description.name,
      description: description,
      key: key,
      layout: plan.layout(for: description)
    )
    if grouped, !description.relationships.isEmpty || !plan.isComplete { group = FetchGroup() }
  }

  /// Takes a row, whose identifier and version were read.
  func row(_ reader: inout RowReader) throws {
    if plan.hasEntity { try choose(plan, &reader) }
    let known = known
    if let link = object(reader.identifier, known.key, known.description, table) {
      links.append(link)
      try take(link, known.layout, &reader)
      group?.add(link.storage)
    }
  }

  /// Determines the class of the row.
  private func choose(_ plan: RowPlan, _ reader: inout RowReader) throws {
    let name = try reader.next(String.self)
    if name == known.name { return }
    let description = descriptions[name] ?? plan.description
    known = RowClass(
      name: name,
      description: description,
      key: description.key(in: store),
      layout: plan.layout(for: description)
    )
  }

  @inline(__always)
  private func object(
    _ row: Int64,
    _ key: EntityKey,
    _ description: EntityDescription,
    _ table: IdentityTable
  ) -> ObjectReference? {
    if let storage = table[.row(row)] {
      if storage.description !== description {
        // It was inserted, and has taken over the row of an object of another class.
        context.invalidate(storage)
      } else if let link = storage.link {
        return link
      }
      // Else the object has ended on another thread just now.
    }
    let link = description.makeObject(PersistentIdentifier(key, .row(row)))
    table.add(link.storage)
    return link
  }

  /// Takes the columns of an object's row that it needs.
  private func take(_ link: ObjectReference, _ layout: RowLayout, _ reader: inout RowReader) throws
  {
    let storage = link.storage
    if storage.version == 0, storage.changed.isEmpty {
      storage.version = reader.version
      for step in layout.steps { try fill(step, of: storage, &reader) }
      return
    }
    let incoming = IncomingRow.read(version: reader.version, slots: layout.slots)
    switch storage.decision(on: incoming, context.mergePolicy) {
    case .merge: try renew(link, layout.steps, &reader)
    case .refresh:
      outdated.append(link)
      fallthrough
    case .fill:
      try fillUnloaded(storage, layout.steps, &reader)
      if storage.version == 0 { storage.version = reader.version }
    default: for step in layout.steps { try reader.skip(step.width) }
    }
  }

  /// Takes a value that is unknown; one that doesn't fit stays unread.
  @inline(__always)
  private func fill(
    _ step: RowStep,
    of storage: ModelStorage,
    _ reader: inout RowReader
  ) throws {
    if case .value(let place, let codec, let width) = step {
      // written at once, because a value is copied on its way through a slot that is returned
      if let cell = try reader.cell(of: place, codec, width, of: storage, in: context) {
        storage.slots[place] = .value(cell)
      } else if context.isLarge(storage, place) {
        lacksValues = true
      }
    } else if let (index, slot) = try slot(step, of: storage, &reader) {
      storage.slots[index] = slot
    }
  }

  /// Reads the slot of a property; a value that doesn't fit stays unread.
  private func slot(
    _ step: RowStep,
    of storage: ModelStorage,
    _ reader: inout RowReader
  ) throws -> (index: Int, slot: Slot)? {
    let found = try reader.slot(step, of: storage, in: context)
    if case (let index, .unloaded)? = found, context.isLarge(storage, index) {
      lacksValues = true
    }
    return found
  }

  /// Takes the values of a row that are unknown.
  private func fillUnloaded(
    _ storage: ModelStorage,
    _ steps: [RowStep],
    _ reader: inout RowReader
  ) throws {
    for step in steps {
      if let index = step.index, storage.isUnloaded(index), !storage.changed.contains(index) {
        try fill(step, of: storage, &reader)
      } else {
        try reader.skip(step.width)
      }
    }
  }

  /// Keeps a row that is newer than the known one until the end.
  private func renew(_ link: ObjectReference, _ steps: [RowStep], _ reader: inout RowReader) throws
  {
    let storage = link.storage
    let start = values.count
    for step in steps {
      guard let (index, slot) = try slot(step, of: storage, &reader) else { continue }
      if !storage.changed.contains(index), !storage.isUnloaded(index),
        storage.description.properties[index].isSame(storage.slots[index], slot)
      {
        continue
      }
      values.append((index, slot))
    }
    renewals.append(Renewal(link: link, version: reader.version, values: start..<values.count))
  }

  // MARK: - Prefetched relationships

  /// Takes the prefetched rows of a relationship.
  func take(_ block: RelatedBlock) throws {
    guard let property = plan.description.properties(along: block.path)?.last,
      let target = descriptions[block.entity]
    else { return }
    var branch = branches[block.path] ?? Branch()
    let plan =
      branchPlans[block.path]
      ?? RowPlan(target, columns: Array(block.columns.dropFirst(2)), store: store)
    branchPlans[block.path] = plan
    let key = target.key(in: store)
    let table = context.identityMap.table(of: key)
    try block.forEachRow { reader in
      var (type, key) = (target, key)
      if plan.hasEntity {
        let name = try reader.next(String.self)
        if let heir = self.descriptions[name], heir !== target {
          (type, key) = (heir, heir.key(in: self.store))
        }
      }
      guard let link = self.object(reader.identifier, key, type, table) else { return }
      branch.links.append(link)
      try self.take(link, plan.layout(for: type), &reader)
    }
    if property.isToMany {
      try block.forEachLink { source, targets in branch.targets[source] = targets }
    }
    branches[block.path] = branch
  }

  // MARK: - The end

  /// Notifies observers of changes when all rows are there; returns the objects in their order.
  ///
  /// - Parameters:
  ///   - paths: The prefetched relationships.
  ///   - renewsLists: Whether lists that were read before are unloaded, to be read anew when they
  ///     are used.
  /// - Returns: The objects in their order.
  func finish(
    prefetched paths: [String] = [],
    renewingLists renewsLists: Bool = false
  ) -> [ObjectReference] {
    if !renewals.isEmpty || !outdated.isEmpty {
      let merge = RowMerge(context)
      for renewal in renewals {
        merge.take(values[renewal.values], of: renewal.link, version: renewal.version)
      }
      for link in outdated { merge.refresh(link) }
      (renewals, values, outdated) = ([], [], [])
      merge.finish()
    }
    if renewsLists, !plan.description.relationships.isEmpty {
      for link in links { link.storage.unloadLists() }
    }
    for path in paths.sorted(by: { $0.count < $1.count }) { attach(path) }
    return links
  }

  /// Gives the objects at the beginning of a path their targets.
  private func attach(_ path: String) {
    let parent = path.split(separator: ".").dropLast().joined(separator: ".")
    guard let property = plan.description.properties(along: path)?.last,
      let type = property.destination
    else { return }
    let branch = branches[path]
    if let branch { context.recent.add(prefetched: branch.links) }
    guard property.isToMany else { return }
    let table = context.identityMap.table(of: EntityDescription.of(type).key(in: store))
    let sources = parent.isEmpty ? links : branches[parent]?.links ?? []
    let moved = context.moved(along: property)
    for link in sources where link.storage.isUnloaded(property.slot) {
      guard let row = link.storage.identifier.row else { continue }
      let targets = (branch?.targets[row] ?? []).compactMap { table[.row($0)]?.link }
      link.storage.take(targets, property.slot, moved)
    }
  }
}

extension RowStep {
  /// The property, if its columns are used.
  var index: Int? {
    switch self {
    case .value(let index, _, _), .parts(let index, _, _, _), .reference(let index, _): index
    case .skip: nil
    }
  }

  /// How many columns there are.
  var width: Int {
    switch self {
    case .value(_, _, let width), .parts(_, _, _, let width): width
    case .reference: 1
    case .skip(let width): width
    }
  }
}

extension PropertyDescription {
  /// Whether two slots have the same value, of an attribute or a to-one relationship.
  func isSame(_ left: Slot, _ right: Slot) -> Bool {
    if case .value(let left) = left, case .value(let right) = right {
      return codec?.areEqual(left, right) ?? false
    }
    return switch (left, right) {
    case (.unloaded, .unloaded): true
    case (.unloaded, _), (_, .unloaded): false
    default: left.targetIdentifier == right.targetIdentifier
    }
  }
}
