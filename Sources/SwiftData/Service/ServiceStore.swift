internal import DepotClient
internal import DepotProtocol
internal import Foundation

/// A store that the service keeps, as one context uses it.
final class ServiceStore: ContextStore {
  /// How many rows are asked for by identifier at once.
  private static let rowsAtOnce = 2000
  /// How often something is tried on a new connection after the old one was lost.
  private static let attempts = 4

  let handle: StoreHandle
  private let subentities: [String: [EntityDescription]]
  private var plans: [String: RowPlan] = [:]
  /// The save whose outcome is unknown.
  var unconfirmedSave: UnconfirmedSave?
  /// The writes of many rows whose outcomes are unknown.
  var unconfirmedWrites = UnconfirmedWriteList<UnconfirmedWrite>(limit: 8)

  init(_ handle: StoreHandle, _ descriptions: [String: EntityDescription]) {
    self.handle = handle
    var subentities: [String: [EntityDescription]] = [:]
    for description in descriptions.values.sorted(by: { $0.name < $1.name }) {
      var parent = description.parent
      while let next = parent {
        subentities[next.name, default: []].append(description)
        parent = next.parent
      }
    }
    self.subentities = subentities
  }

  var identifier: String { handle.identifier }
  var allowsSave: Bool { handle.allowsSave }
  var takesExpressions: Bool { true }
  var isInDoubt: Bool { unconfirmedSave != nil }

  func lastTransaction() throws -> DepotProtocol.HistoryToken? {
    try handle.borrow { try $0.historyStatus().head }
  }

  /// Does something over a connection, on another one if it is lost.
  func talk<Result>(_ body: (BlockingConnection) throws -> Result) throws -> Result {
    try again { try handle.borrow(body) }
  }

  /// Does something again as long as a connection is lost in it.
  func again<Result>(_ body: () throws -> Result) throws -> Result {
    var attempt = 1
    while true {
      do {
        return try body()
      } catch {
        guard error.isLostConnection, attempt < Self.attempts else {
          throw SwiftDataError(any: error)
        }
        attempt += 1
      }
    }
  }

  /// Returns the plan of reading rows of an entity.
  func plan(_ description: EntityDescription, _ slots: [Int]?) -> RowPlan {
    if slots == nil, let known = plans[description.name] { return known }
    let plan = RowPlan(
      description,
      slots: slots,
      descendants: subentities[description.name] ?? [],
      store: identifier
    )
    if slots == nil { plans[description.name] = plan }
    return plan
  }

  // MARK: - Reading

  func fetch(_ query: StoreQuery, into context: ModelContext) throws -> [ObjectReference] {
    do {
      return try fetchRows(query, into: context)
    } catch let error as SwiftDataError {
      // Large values are read one by one, when they are needed.
      guard error.isTooLarge, let slots = query.slots else { throw error }
      var query = query
      query.slots = slots.filter { !query.description.properties[$0].isExternal }
      guard query.slots != slots else { throw error }
      return try fetchRows(query, into: context)
    }
  }

  private func fetchRows(
    _ query: StoreQuery,
    into context: ModelContext
  ) throws -> [ObjectReference] {
    let plan = plan(query.description, query.slots)
    let request = query.request(plan)
    return try talk { connection in
      let intake = RowIntake(context, identifier, plan, grouped: true)
      if request.prefetch.isEmpty {
        _ = try connection.fetch(request, intake.row)
      } else {
        _ = try connection.fetch(request, related: { try intake.take($0) }) { row in
          try intake.row(&row)
        }
      }
      return intake.finish(prefetched: request.prefetch, renewingLists: query.renewsLists)
    }
  }

  func count(_ query: StoreQuery, in context: ModelContext) throws -> Int {
    let request = CountRequest(
      entity: query.request.entity,
      predicate: query.request.predicate,
      includesSubentities: query.request.includesSubentities
    )
    let all = try talk { try $0.count(request) }
    let rest = max(0, all - query.request.offset)
    return query.request.limit.map { min($0, rest) } ?? rest
  }

  func identifiers(_ query: StoreQuery, in context: ModelContext) throws -> [PersistentIdentifier] {
    let root = query.description.root.name
    let hasEntity = subentities[query.description.name] != nil
    var request = query.request
    request.prefetch = []
    request.select = hasEntity ? ["$entity"] : []
    return try talk { connection in
      var identifiers: [PersistentIdentifier] = []
      var key = EntityKey.of(store: identifier, entity: query.description.name, root: root)
      _ = try connection.fetch(request) { row in
        if hasEntity {
          let name = try row.next(String.self)
          if name != key.name {
            key = EntityKey.of(store: self.identifier, entity: name, root: root)
          }
        }
        identifiers.append(PersistentIdentifier(key, .row(row.identifier)))
      }
      return identifiers
    }
  }

  func rows(
    _ identifiers: [PersistentIdentifier],
    of description: EntityDescription,
    slots: [Int]?,
    into context: ModelContext
  ) throws -> [ObjectReference] {
    let plan = plan(description, slots)
    var links: [ObjectReference] = []
    let rows = identifiers.compactMap { $0.storeIdentifier == identifier ? $0.row : nil }
    for batch in rows.chunks(of: Self.rowsAtOnce) {
      let request = GetRequest(
        entity: description.name,
        identifiers: batch,
        select: plan.select,
        includesSubentityColumns: plan.hasEntity,
        allowsMissing: true,
        namesColumns: false
      )
      do {
        let (found, lacksValues) = try talk { connection in
          let intake = RowIntake(context, self.identifier, plan, grouped: rows.count > 1)
          try connection.get(request, intake.row)
          return (intake.finish(), intake.lacksValues)
        }
        // Values that are named are read now, and others when they are touched.
        if !lacksValues || slots == nil {
          links += found
        } else {
          for row in batch { links += try largeRow(row, plan, into: context) }
        }
      } catch let error as SwiftDataError {
        guard error.isTooLarge, !plan.externalColumns.isEmpty else { throw error }
        for row in batch { links += try largeRow(row, plan, into: context) }
      }
    }
    return links
  }
}
