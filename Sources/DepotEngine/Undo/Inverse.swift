internal import DepotProtocol

/// The inverse of a transaction: the state of each row before and after it.
///
/// It is built from the rows of the history in reverse order; a large transaction may have changed
/// a row several times.
struct Inverse {
  /// The most changed rows of a transaction that can be undone.
  static let rowLimit = 100_000
  /// The most bytes of its values.
  static let byteLimit = 64 << 20

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

  /// The size of a transaction's changes.
  struct Size {
    var rows = 0
    var bytes = 0

    /// Adds the size of another part of the transaction.
    ///
    /// - Throws: ``DepotError`` `limit.rows` if that is too large to be undone.
    mutating func add(_ other: Size) throws(DepotError) {
      rows += other.rows
      bytes += other.bytes
      guard rows <= Inverse.rowLimit, bytes <= Inverse.byteLimit else { throw Inverse.tooLarge }
    }
  }

  /// The size of the changes.
  var size: Size { Size(rows: rows.count + links.count, bytes: byteCount) }

  /// Adds rows that the transaction inserted.
  mutating func add(inserted range: ClosedRange<Int64>, entity: String, root: String) {
    isEmpty = false
    for identifier in range {
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
    for range in try record.ranges() {
      guard range.count <= Self.rowLimit else { throw Self.tooLarge }
      add(inserted: range, entity: entity, root: root)
      try check()
    }
    try add(record.changes().reversed(), entity: entity, root: root)
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
      try check()
    }
  }

  private mutating func update(_ key: Key, _ entity: String, _ change: RecordedChange) throws {
    var row = rows[key] ?? Row(entity: entity)
    for property in change.properties {
      guard case .values(let old, let new) = property.content else {
        throw Self.noValues(entity, change.identifier)
      }
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
      row.before[property.name] = value
    }
    rows[key] = row
  }

  private mutating func relink(_ entity: String, _ change: RecordedChange) throws {
    for property in change.properties {
      guard case .links(let added, let removed) = property.content else {
        throw Self.noValues(entity, change.identifier)
      }
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

  private func check() throws {
    guard rows.count + links.count <= Self.rowLimit, byteCount <= Self.byteLimit else {
      throw Self.tooLarge
    }
  }

  private static let tooLarge = DepotError(
    .tooManyRows,
    "The transaction is too large to be undone.",
    hint: """
      In one transaction at most \(rowLimit) rows with \(byteLimit >> 20) MiB of values can be undone that lead to \
      others or have unique values. Make such changes in chunks, which are undone one after the other; this one \
      is taken back by a backup from before it, or row by row.
      """
  )

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
