internal import DepotProtocol
internal import DepotSQLite

/// What one row of the history says about one row of an entity.
struct RecordedChange: Equatable {
  var identifier: Int64
  /// The row's version: after an update, before a deletion.
  var version: Int64?
  var properties: [Property]

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

  /// What is kept of a property; values are JSON as the wire has it.
  enum Content: Equatable {
    /// Only that it changed.
    case name
    case values(old: ArraySlice<UInt8>, new: ArraySlice<UInt8>)
    /// What a deleted row had.
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
  private let document: JSONDocument?

  /// Reads a full row.
  ///
  /// - Throws: ``DepotError`` `storage.corrupt` if it isn't what was stored.
  init(_ row: borrowing Row) throws(DepotError) {
    identifier = row.integer(0)
    token = row.integer(1)
    guard HistoryTable.isSound(row) else { throw Self.damaged(identifier) }
    guard !row.isNull(8), let kind = HistoryTable.Kind(rawValue: row.integer(9)) else {
      (entity, kind, document) = (nil, nil, nil)
      return
    }
    entity = row.text(8)
    self.kind = kind
    do {
      document = try JSONDocument(Array(row.bytes(12)), valueLimit: .max)
    } catch {
      throw Self.damaged(identifier)
    }
  }

  /// Creates a record from its changes as JSON.
  init(
    _ kind: HistoryTable.Kind,
    _ entity: String,
    _ json: String,
    identifier: Int64 = 1,
    token: Int64 = 1
  ) throws(DepotError) {
    self.identifier = identifier
    self.token = token
    self.kind = kind
    self.entity = entity
    document = try JSONDocument(Array(json.utf8))
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
    var result: [RecordedChange] = []
    for node in try elements() { result.append(try change(node)) }
    return result
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

  /// Reads one element.
  func change(_ node: JSONNode) throws(DepotError) -> RecordedChange {
    do {
      var reader = try JSONObjectReader(node)
      var change = RecordedChange(
        identifier: try reader.required("id").int64(),
        version: try reader.optional("v")?.int64(),
        properties: []
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
    var result: [Int64] = []
    for node in try optional(name)?.elements() ?? [] { result.append(try node.int64()) }
    return result
  }
}
