internal import DepotProtocol

/// The rows of one answer on their way into the objects of a context.
///
/// Objects that the context has keep what the program has changed. What others have changed is told to
/// observers when all rows are there, since they may ask the store for more.
final class RowIntake {
  /// A property of a registered object that isn't what the row says.
  private struct Update {
    var link: Link
    var slot: Int
    var value: Slot
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
  private var updates: [Update] = []
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
    if let storage = table[.row(row)] { return (storage.link, false) }
    let link = description.makeObject(PersistentIdentifier(key, .row(row)))
    link.storage.context = context
    table[.row(row)] = link.storage
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
    let isStale = storage.version != reader.version
    for step in steps {
      guard let index = step.index else {
        try reader.skip(step.width)
        continue
      }
      let isUnloaded = storage.isUnloaded(index)
      if !isUnloaded, !isStale || storage.changed.contains(index) {
        try reader.skip(step.width)
      } else if let (index, slot) = try reader.slot(step) {
        if isUnloaded, !storage.changed.contains(index) {
          storage.slots[index] = slot
        } else if !storage.description.properties[index].isSame(storage.slots[index], slot) {
          updates.append(Update(link: link, slot: index, value: slot))
        }
      }
    }
    // With changes of its own, the object keeps the version that these are based on.
    if storage.changed.isEmpty || storage.version == 0 { storage.version = reader.version }
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
    for update in updates { apply(update) }
    updates = []
    for path in paths.sorted(by: { $0.count < $1.count }) { attach(path) }
    return links
  }

  private func apply(_ update: Update) {
    let storage = update.link.storage
    let property = storage.description.properties[update.slot]
    context.relink(update.link, update.slot, to: update.value)
    property.willSet(update.link.model)
    storage.slots[update.slot] = update.value
    property.didSet(update.link.model)
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
    case (.value(let left), .value(let right)): codec?.areEqual(left, right) ?? false
    default: left.targetIdentifier == right.targetIdentifier
    }
  }
}
