internal import DepotProtocol
internal import DepotSQLite

/// The transactions and changes that a request selects, in one snapshot.
final class HistorySelection {
  let request: HistoryRequest
  let bounds: HistoryBounds
  /// The transaction after which the selection begins.
  let after: Int64
  /// The last selected transaction.
  let until: Int64
  /// The names of the selected entities; `nil` for all.
  private let entities: Set<String>?
  /// The selected entity; `nil` for all.
  private let layout: EntityLayout?
  private let identifiers: Set<Int64>?
  private let properties: Set<String>?
  /// The author whose transactions are excluded.
  let own: Own?

  /// The transactions of one connection after a token.
  struct Own: Hashable, Sendable {
    var connection: Int64
    var after: Int64
  }

  convenience init(
    _ request: HistoryRequest,
    _ catalog: Catalog,
    _ bounds: HistoryBounds,
    on connection: Connection,
    without own: Own? = nil
  ) throws {
    let after: Int64
    if let since = request.since {
      after = try bounds.sequence(of: since, at: "/args/since", on: connection)
    } else if let consumer = request.consumer,
      let position = try HistoryConsumers(connection: connection).position(of: consumer)
    {
      try bounds.check(bounds.token(position), at: "/args/consumer")
      after = position
    } else {
      after = bounds.purged
    }
    if let token = request.until { try bounds.checkOrigin(token, at: "/args/until") }
    try self.init(request, catalog, bounds, after: after, without: own)
  }

  /// Selects the transactions after one, up to the end that the request names.
  init(
    _ request: HistoryRequest,
    _ catalog: Catalog,
    _ bounds: HistoryBounds,
    after: Int64,
    without own: Own? = nil
  ) throws(DepotError) {
    self.request = request
    self.own = own
    self.bounds = bounds
    self.after = after
    until = request.until?.sequence ?? bounds.head
    if let name = request.entity {
      let layout = try catalog.layout(of: name)
      self.layout = layout
      entities = Set(layout.numbers.values)
    } else {
      layout = nil
      entities = nil
    }
    identifiers = request.identifiers.map(Set.init)
    properties = request.properties.map(Set.init)
  }

  /// Whether some changes are excluded, so that transactions without others are skipped.
  var isFiltered: Bool { entities != nil || properties != nil }

  /// Whether the transactions of a group are combined.
  var joinsGroups: Bool { request.joinsGroups && identifiers == nil && properties == nil }

  func includes(_ set: ChangeSet) -> Bool {
    if let author = request.author, author != set.origin.author { return false }
    guard let own, own.connection == set.origin.connection else { return true }
    return set.token <= own.after
  }

  func includes(_ record: HistoryRecord) -> Bool {
    guard let entity = record.entity, let kind = record.kind else { return false }
    return includes(entity, kind)
  }

  /// Whether changes of a kind may be selected.
  func includes(_ entity: String, _ kind: HistoryTable.Kind) -> Bool {
    entities?.contains(entity) ?? true || isMixed(entity, kind)
  }

  /// Whether only some rows of the changes may have the selected entity.
  ///
  /// They are links of a relationship that an ancestor declares.
  func isMixed(_ entity: String, _ kind: HistoryTable.Kind) -> Bool {
    guard kind == .links, let layout, entities?.contains(entity) == false else { return false }
    return layout.lineageNames.contains(entity)
  }

  /// Whether the row of a change has the selected entity.
  func hasEntity(_ change: RecordedChange, _ past: PastReader) throws -> Bool {
    guard let layout, isMixed(change.entity, change.kind) else { return true }
    return try past.isRow(change.identifier, of: layout)
  }

  func includes(_ change: RecordedChange) -> Bool {
    if let identifiers, !identifiers.contains(change.identifier) { return false }
    guard let properties, change.kind != .delete else { return true }
    return change.properties.contains { properties.contains($0.name) }
  }

  /// Returns the selected parts of a range.
  func ranges(in range: ClosedRange<Int64>) -> [ClosedRange<Int64>] {
    guard let identifiers else { return [range] }
    return identifiers.filter(range.contains).sorted().map { $0...$0 }
  }

  /// Returns the tokens of the transactions that change selected rows, in order.
  ///
  /// It is `nil` if any transaction may change them.
  func tokens(_ past: PastReader) throws -> [Int64]? {
    guard let identifiers, let layout else { return nil }
    var tokens: Set<Int64> = []
    var deleted: Set<Int64> = []
    let wanted = identifiers.sorted()
    let trails = wanted.map { PastReader.Trail(root: layout.root, identifier: $0, edge: after) }
    try past.walk(trails) { position, event in
      let event = try event.get()
      tokens.insert(event.token)
      if event.kind == .delete { deleted.insert(wanted[position]) }
      return true
    }
    for identifier in wanted {
      let isAlone = !deleted.contains(identifier)
      for event in try past.insertions(of: identifier, layout, isAlone: isAlone) {
        tokens.insert(event.token)
      }
    }
    return tokens.filter { after < $0 && $0 <= until }.sorted()
  }
}
