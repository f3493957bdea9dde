internal import DepotProtocol

/// The rows of one answer on their way into the objects of a context.
///
/// Objects that the context has keep what the program has changed. What others have changed is told to
/// observers when all rows are there, since they may ask the store for more.
final class RowIntake {
  /// A row of a registered object that is newer than what the context knows.
  private struct Renewal {
    let link: Link
    let version: Int64
    /// The place of its values.
    let values: Range<Int>
  }

  /// What a to-many relationship leads to that came along.
  private struct Branch {
    var description: EntityDescription
    var slot: Int
    var links: [Link] = []
    /// The rows that the relationship leads to, by the rows that it leads from.
    var targets: [Int64: [Int64]] = [:]
  }

  private let context: ModelContext
  private let store: String
  private let plan: RowPlan
  private let descriptions: [String: EntityDescription]
  private let table: IdentityTable
  private var known:
    (name: String, description: EntityDescription, key: EntityKey, steps: [RowStep])
  private(set) var links: [Link] = []
  private var renewals: [Renewal] = []
  private var values: [(slot: Int, value: Slot)] = []
  /// The objects whose newer rows lack values that are loaded.
  private var outdated: [Link] = []
  private var group: FetchGroup?
  private var branches: [String: Branch] = [:]
  private var branchPlans: [String: RowPlan] = [:]

  init(_ context: ModelContext, _ store: String, _ plan: RowPlan, grouped: Bool) {
    context.willRead()
    self.context = context
    self.store = store
    self.plan = plan
    descriptions = context.core.descriptions
    let description = plan.description
    let key = EntityKey.of(store: store, entity: description.name, root: description.root.name)
    table = context.table(of: key)
    known = (description.name, description, key, plan.steps(for: description))
    if grouped, !description.relationships.isEmpty || !plan.isComplete { group = FetchGroup() }
  }

  /// Takes a row, whose identifier and version were read.
  func row(_ reader: inout RowReader) throws {
    try choose(plan, &reader)
    let (link, isNew) = object(reader.identifier, known.key, known.description, table)
    if let link {
      links.append(link)
      try fill(link, isNew: isNew, known.steps, &reader)
      group?.add(link.storage)
    }
  }

  /// Finds out what class the row is of.
  private func choose(_ plan: RowPlan, _ reader: inout RowReader) throws {
    guard plan.hasEntity else { return }
    let name = try reader.next(String.self)
    if name == known.name { return }
    let description = descriptions[name] ?? plan.description
    let key = EntityKey.of(store: store, entity: description.name, root: description.root.name)
    known = (name, description, key, plan.steps(for: description))
  }

  @inline(__always)
  private func object(
    _ row: Int64,
    _ key: EntityKey,
    _ description: EntityDescription,
    _ table: IdentityTable
  ) -> (Link?, isNew: Bool) {
    if let storage = table[.row(row)] {
      if storage.description === description { return (storage.link, false) }
      // It was inserted, and has taken over the row of an object of another class.
      context.vanish(storage)
    }
    let link = description.makeObject(PersistentIdentifier(key, .row(row)))
    link.storage.context = context
    table.add(link.storage)
    return (link, true)
  }

  private func fill(
    _ link: Link,
    isNew: Bool,
    _ steps: [RowStep],
    _ reader: inout RowReader
  ) throws {
    let storage = link.storage
    if isNew || storage.version == 0, storage.changed.isEmpty {
      storage.version = reader.version
      for step in steps {
        if let (index, slot) = try reader.slot(step) { storage.slots[index] = slot }
      }
      return
    }
    if storage.version != 0, reader.version < storage.knownVersion {
      for step in steps { try reader.skip(step.width) }
    } else if storage.version == 0 || reader.version == storage.knownVersion {
      try fillUnloaded(storage, steps, &reader)
      if storage.version == 0 { storage.version = reader.version }
    } else if covers(steps, storage) {
      try renew(link, steps, &reader)
    } else {
      try fillUnloaded(storage, steps, &reader)
      outdated.append(link)
    }
  }

  /// Takes what isn't known of a row.
  private func fillUnloaded(
    _ storage: ModelStorage,
    _ steps: [RowStep],
    _ reader: inout RowReader
  ) throws {
    for step in steps {
      if let index = step.index, storage.isUnloaded(index), !storage.changed.contains(index) {
        if let (index, slot) = try reader.slot(step) { storage.slots[index] = slot }
      } else {
        try reader.skip(step.width)
      }
    }
  }

  /// Whether a row has all that was read of an object.
  private func covers(_ steps: [RowStep], _ storage: ModelStorage) -> Bool {
    var covered = SlotSet()
    for step in steps { if let index = step.index { covered.insert(index) } }
    return storage.description.properties.allSatisfy { property in
      property.isToMany || covered.contains(property.slot) || !storage.wasRead(property.slot)
    }
  }

  /// Takes a row that is newer than what is known, for the end.
  private func renew(_ link: Link, _ steps: [RowStep], _ reader: inout RowReader) throws {
    let storage = link.storage
    let start = values.count
    for step in steps {
      guard let (index, slot) = try reader.slot(step) else { continue }
      if !storage.changed.contains(index), !storage.isUnloaded(index),
        storage.description.properties[index].isSame(storage.slots[index], slot)
      {
        continue
      }
      values.append((index, slot))
    }
    renewals.append(Renewal(link: link, version: reader.version, values: start..<values.count))
  }

  // MARK: - What came along

  /// Takes the rows of a relationship that came along.
  func take(_ block: any RelatedRowsOfPath) throws {
    guard let source = description(at: block.parent),
      let property = source.property(named: block.name),
      let target = descriptions[block.entity]
    else { return }
    var branch = branches[block.path] ?? Branch(description: source, slot: property.slot)
    let plan =
      branchPlans[block.path]
      ?? RowPlan(target, columns: Array(block.columns.dropFirst(2)), store: store)
    branchPlans[block.path] = plan
    let key = EntityKey.of(store: store, entity: target.name, root: target.root.name)
    let table = context.table(of: key)
    try block.forEachRow { reader in
      var (type, key) = (target, key)
      if plan.hasEntity {
        let name = try reader.next(String.self)
        if let heir = self.descriptions[name], heir !== target {
          type = heir
          key = EntityKey.of(store: self.store, entity: heir.name, root: heir.root.name)
        }
      }
      let (link, isNew) = self.object(reader.identifier, key, type, table)
      guard let link else { return }
      branch.links.append(link)
      try self.fill(link, isNew: isNew, plan.steps(for: type), &reader)
    }
    if property.isToMany {
      try block.forEachLink { source, targets in branch.targets[source] = targets }
    }
    branches[block.path] = branch
  }

  /// The entity that a path leads to.
  private func description(at path: String) -> EntityDescription? {
    var description = plan.description
    if path.isEmpty { return description }
    for name in path.split(separator: ".") {
      guard let type = description.property(named: String(name))?.destination else { return nil }
      description = EntityDescription.of(type)
    }
    return description
  }

  // MARK: - The end

  /// Tells observers what has changed, when all rows are there; returns the objects in their order.
  func finish(prefetched paths: [String] = []) -> [Link] {
    let (renewals, values, outdated) = (renewals, values, outdated)
    self.renewals = []
    self.values = []
    self.outdated = []
    for renewal in renewals { apply(renewal, values[renewal.values]) }
    context.readAnew(outdated)
    for path in paths.sorted(by: { $0.count < $1.count }) { attach(path) }
    return links
  }

  /// Makes an object what a newer row says, unless one that is newer still has come meanwhile.
  private func apply(_ renewal: Renewal, _ values: ArraySlice<(slot: Int, value: Slot)>) {
    let link = renewal.link
    let storage = link.storage
    guard storage.context === context, renewal.version > storage.knownVersion else { return }
    let theirs = values.filter { storage.changed.contains($0.slot) }
    storage.raise(to: renewal.version, Dictionary(theirs.map { ($0.slot, $0.value) }) { $1 })
    for (slot, value) in values where !storage.changed.contains(slot) {
      if storage.isUnloaded(slot) {
        storage.slots[slot] = value
        continue
      }
      let property = storage.description.properties[slot]
      property.willSet(link.model)
      // Those who were told may have read or changed it.
      if storage.context === context, storage.knownVersion == renewal.version,
        !storage.changed.contains(slot)
      {
        context.relink(link, slot, to: value)
        storage.slots[slot] = value
        for observer in context.observers { observer.didRenew(storage, slot) }
      }
      property.didSet(link.model)
    }
  }

  /// Gives the objects that a path begins at what it leads to.
  private func attach(_ path: String) {
    let names = path.split(separator: ".")
    let parent = names.dropLast().joined(separator: ".")
    guard let source = description(at: parent),
      let property = names.last.flatMap({ source.property(named: String($0)) }),
      let type = property.destination
    else { return }
    let branch = branches[path]
    if let branch { context.keepPrefetched(branch.links) }
    guard property.isToMany else { return }
    let target = EntityDescription.of(type)
    let key = EntityKey.of(store: store, entity: target.name, root: target.root.name)
    let table = context.table(of: key)
    let sources = parent.isEmpty ? links : branches[parent]?.links ?? []
    for link in sources where link.storage.isUnloaded(property.slot) {
      guard let row = link.storage.identifier.row else { continue }
      let targets = (branch?.targets[row] ?? []).compactMap { table[.row($0)]?.link }
      link.storage.take(targets, property.slot)
    }
  }
}

/// The rows of one relationship that came along with some rows, wherever they are from.
protocol RelatedRowsOfPath {
  var path: String { get }
  var entity: String { get }
  /// The names of the columns, the identifier and the version first.
  var columns: [String] { get }
  func forEachRow(_ body: (inout RowReader) throws -> Void) throws
  func forEachLink(_ body: (_ source: Int64, _ targets: [Int64]) throws -> Void) throws
}

extension RelatedRowsOfPath {
  /// The path of what the relationship leads from.
  var parent: String { path.split(separator: ".").dropLast().joined(separator: ".") }
  /// The name of the relationship.
  var name: String { path.split(separator: ".").last.map(String.init) ?? "" }
}

extension RowStep {
  /// The property, if anybody wants the columns.
  var index: Int? {
    switch self {
    case .value(let index, _, _), .reference(let index, _): index
    case .skip: nil
    }
  }

  /// How many columns there are.
  var width: Int {
    switch self {
    case .value(_, _, let width): width
    case .reference: 1
    case .skip(let width): width
    }
  }
}

extension PropertyDescription {
  /// Whether two slots have the same value, of an attribute or a to-one relationship.
  func isSame(_ left: Slot, _ right: Slot) -> Bool {
    switch (left, right) {
    case (.unloaded, .unloaded): true
    case (.unloaded, _), (_, .unloaded): false
    case (.value(let left), .value(let right)): codec?.areEqual(left, right) ?? false
    default: left.targetIdentifier == right.targetIdentifier
    }
  }
}
