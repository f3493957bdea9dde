internal import DepotProtocol
internal import DepotSQLite

/// A change of one row of an entity, as the history has it.
struct RecordedChange: Equatable {
  /// The row of the history, and its transaction.
  var record: Int64
  var token: Int64
  var kind: HistoryTable.Kind
  /// The entity that the row is of; of links, the one that declares the relationship.
  var entity: String
  var identifier: Int64
  /// The row's version: after an update, before a deletion.
  var version: Int64?
  /// The properties that changed; none of an insertion.
  var properties: [Property] = []

  struct Property: Equatable {
    var name: String
    var content: Content

    /// How many bytes its values have.
    var byteCount: Int {
      switch content {
      case .name: 0
      case .values(let old, let new): old.count + new.count
      case .last(let value): value.count
      case .links(let added, let removed): 8 * (added.count + removed.count)
      }
    }
  }

  /// How many bytes its values have.
  var byteCount: Int { properties.reduce(0) { $0 + $1.byteCount } }

  /// The part of a property that is kept; values are JSON as the wire has it.
  enum Content: Equatable {
    /// Only that it changed.
    case name
    case values(old: ArraySlice<UInt8>, new: ArraySlice<UInt8>)
    /// The last value of a deleted row.
    case last(ArraySlice<UInt8>)
    /// The rows that a relationship from many to many was changed by; none if only their order was.
    case links(added: [Int64], removed: [Int64])
  }
}

/// One row of the history.
struct HistoryRecord {
  let identifier: Int64
  let token: Int64
  /// The entity that its rows are of; `nil` if it tells of no rows.
  let entity: String?
  let kind: HistoryTable.Kind?
  let document: JSONDocument?
}

extension HistoryRecord {
  /// Reads a full row.
  init(_ row: borrowing Row) throws(DepotError) {
    let (identifier, token) = (row.integer(0), row.integer(1))
    guard !row.isNull(8), let kind = HistoryTable.Kind(rawValue: row.integer(9)) else {
      self.init(identifier: identifier, token: token, entity: nil, kind: nil, document: nil)
      return
    }
    do {
      self.init(
        identifier: identifier,
        token: token,
        entity: row.text(8),
        kind: kind,
        document: try JSONDocument(Array(row.bytes(12)), valueLimit: .max)
      )
    } catch {
      throw Self.damaged(identifier)
    }
  }

  /// The identifiers of the rows that were inserted, as ranges.
  func ranges() throws(DepotError) -> [ClosedRange<Int64>] {
    var result: [ClosedRange<Int64>] = []
    guard kind == .insert else { return result }
    for node in try elements() {
      guard let pair = try? node.elements(), pair.count == 2, let first = try? pair[0].int64(),
        let last = try? pair[1].int64(), first <= last
      else { throw Self.damaged(identifier) }
      result.append(first...last)
    }
    return result
  }

  /// The rows that were changed, deleted, or relinked.
  func changes() throws(DepotError) -> [RecordedChange] {
    guard kind != .insert else { return [] }
    return try elements().map(change)
  }

  /// The elements of the changes.
  func elements() throws(DepotError) -> [JSONNode] {
    guard let document else { return [] }
    do {
      return try document.root.elements()
    } catch {
      throw Self.damaged(identifier)
    }
  }

  /// Reads which row an element is about.
  func identifier(of node: JSONNode) throws(DepotError) -> Int64 {
    do {
      var reader = try JSONObjectReader(node)
      return try reader.required("id").int64()
    } catch {
      throw Self.damaged(identifier)
    }
  }

  /// Returns the insertion of one of the rows in ``ranges()``.
  func insertion(of row: Int64) -> RecordedChange {
    RecordedChange(
      record: identifier,
      token: token,
      kind: .insert,
      entity: entity ?? "",
      identifier: row
    )
  }

  /// Reads one element.
  func change(_ node: JSONNode) throws(DepotError) -> RecordedChange {
    guard let kind, let entity else { throw Self.damaged(identifier) }
    do {
      var reader = try JSONObjectReader(node)
      var change = RecordedChange(
        record: identifier,
        token: token,
        kind: kind,
        entity: entity,
        identifier: try reader.required("id").int64(),
        version: try reader.optional("v")?.int64()
      )
      let properties = try reader.required("p")
      if properties.kind == .array {
        for name in try properties.elements() {
          change.properties.append(.init(name: try name.string(), content: .name))
        }
        return change
      }
      for (name, value) in try properties.members() {
        change.properties.append(.init(name: try name.string(), content: try content(value)))
      }
      return change
    } catch {
      throw Self.damaged(identifier)
    }
  }

  private func content(_ node: JSONNode) throws(DepotError) -> RecordedChange.Content {
    switch kind {
    case .update:
      let pair = try node.elements()
      guard pair.count == 2 else { throw Self.damaged(identifier) }
      return .values(old: pair[0].source, new: pair[1].source)
    case .links:
      var reader = try JSONObjectReader(node)
      return .links(
        added: try reader.identifiers("add"),
        removed: try reader.identifiers("remove")
      )
    default: return .last(node.source)
    }
  }

  static func damaged(_ identifier: Int64) -> DepotError {
    DepotError(.corrupt, "The row \(identifier) of the history is damaged.")
      .hint("Delete the history up to it, or restore the store from a backup.")
  }
}

extension JSONNode {
  /// The value as it is written.
  var source: ArraySlice<UInt8> { document.bytes[range] }
}

extension JSONObjectReader {
  fileprivate mutating func identifiers(_ name: StaticString) throws(DepotError) -> [Int64] {
    try optional(name)?.elements().map { (node) throws(DepotError) in try node.int64() } ?? []
  }
}
