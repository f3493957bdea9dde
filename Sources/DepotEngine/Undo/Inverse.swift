internal import DepotProtocol

/// The inverse of a transaction: the state of each row before and after it.
///
/// It is built from the rows of the history in reverse order; a large transaction may have changed
/// a row several times.
struct Inverse {
  struct Key: Hashable {
    /// The root of the row's entity.
    var root: String
    var identifier: Int64
  }

  /// The states of one row.
  struct Row: Equatable {
    /// The row's own entity.
    var entity: String
    /// Whether it existed after the transaction, and the values that the transaction set.
    var existed = true
    var after: [String: HistoryValue] = [:]
    /// Whether it existed before, and the values that the transaction replaced.
    var wasThere = true
    var before: [String: HistoryValue] = [:]
    /// The version that the transaction deleted.
    var version: Int64?
  }

  /// A many-to-many relationship of a row.
  struct LinkKey: Hashable {
    var entity: String
    var identifier: Int64
    var relationship: String
  }

  /// The rows that undoing adds to a relationship, or removes from it.
  struct Links: Equatable {
    var add: Set<Int64> = []
    var remove: Set<Int64> = []
  }

  private(set) var rows: [Key: Row] = [:]
  private(set) var links: [LinkKey: Links] = [:]
  /// Whether the transaction isn't known to have changed anything.
  private(set) var isEmpty = true
  private var byteCount = 0
  /// The size from which on no more changes are added; `nil` for none.
  private let limits: UndoLimits?
  /// The identifiers of the rows whose changes are added.
  private let identifiers: ClosedRange<Int64>

  init(_ limits: UndoLimits? = nil, of identifiers: ClosedRange<Int64> = .min ... .max) {
    self.limits = limits
    self.identifiers = identifiers
  }

  /// Whether it exceeds the limits, and may lack changes.
  var isTooLarge: Bool {
    guard let limits else { return false }
    return rows.count + links.count > limits.rows || byteCount > limits.bytes
  }

  /// Adds rows that the transaction inserted.
  mutating func add(inserted range: ClosedRange<Int64>, entity: String, root: String) {
    isEmpty = false
    guard range.overlaps(identifiers) else { return }
    for identifier in range.clamped(to: identifiers) {
      if isTooLarge { return }
      let key = Key(root: root, identifier: identifier)
      var row = rows[key] ?? Row(entity: entity)
      row.wasThere = false
      row.before = [:]
      rows[key] = row
    }
  }

  /// Adds a row of the history that precedes the added ones.
  ///
  /// `root` returns the root of an entity.
  mutating func add(
    _ record: HistoryRecord,
    root: (String) throws -> String
  ) throws {
    guard let entity = record.entity else { return }
    isEmpty = false
    let root = try root(entity)
    for range in try record.ranges() { add(inserted: range, entity: entity, root: root) }
    for element in try record.elements().reversed()
    where identifiers.contains(element.row) && !isTooLarge {
      try add([record.change(element)], entity: entity, root: root)
    }
  }

  /// Adds changes that precede the added ones, in reverse order.
  mutating func add(
    _ changes: some Sequence<RecordedChange>,
    entity: String,
    root: String
  ) throws {
    isEmpty = false
    for change in changes {
      switch change.kind {
      case .insert: break
      case .update: try update(Key(root: root, identifier: change.identifier), entity, change)
      case .delete: delete(Key(root: root, identifier: change.identifier), entity, change)
      case .links: try relink(entity, change)
      }
    }
  }

  private mutating func update(_ key: Key, _ entity: String, _ change: RecordedChange) throws {
    var row = rows[key] ?? Row(entity: entity)
    for property in change.properties {
      guard case .values(var old, var new) = property.content else {
        throw Self.noValues(entity, change.identifier)
      }
      // A part has a few values of many pages, which copies don't keep in memory.
      if limits != nil { (old, new) = (old.copy, new.copy) }
      byteCount += old.byteCount + new.byteCount
      if row.after[property.name] == nil, row.existed { row.after[property.name] = new }
      row.before[property.name] = old
    }
    rows[key] = row
  }

  private mutating func delete(_ key: Key, _ entity: String, _ change: RecordedChange) {
    var row = rows[key] ?? Row(entity: entity, existed: false)
    row.wasThere = true
    row.version = change.version
    row.before = [:]
    for property in change.properties {
      guard case .last(let value) = property.content else { continue }
      byteCount += value.byteCount
      row.before[property.name] = limits == nil ? value : value.copy
    }
    rows[key] = row
  }

  private mutating func relink(_ entity: String, _ change: RecordedChange) throws {
    for property in change.properties {
      guard case .links(let added, let removed) = property.content else {
        throw Self.noValues(entity, change.identifier)
      }
      // The order isn't undone.
      if added.isEmpty, removed.isEmpty { continue }
      let key = LinkKey(
        entity: entity,
        identifier: change.identifier,
        relationship: property.name
      )
      var links = links[key] ?? Links()
      byteCount += 8 * (added.count + removed.count)
      for identifier in added where links.add.remove(identifier) == nil {
        links.remove.insert(identifier)
      }
      for identifier in removed where links.remove.remove(identifier) == nil {
        links.add.insert(identifier)
      }
      self.links[key] = links
    }
  }

  static func noValues(_ entity: String, _ identifier: Int64) -> DepotError {
    DepotError(
      .historyNoValues,
      "The history doesn't have the old values of \(entity)/\(identifier)."
    )
    .hint(
      "Give \(entity) \"history\": \"values\" in the schema, so that later changes can be undone."
    )
    .details(["entity": .string(entity), "id": .int64(identifier)])
  }
}
