internal import DepotClient
internal import DepotProtocol
internal import Foundation

/// Work on many rows at once.
extension ServiceStore {
  func enumerate(
    _ query: StoreQuery,
    batchSize: Int,
    into context: ModelContext,
    _ body: ([ObjectReference]) throws -> Void
  ) throws {
    let plan = plan(query.description, query.slots)
    var request = query.request(plan)
    request.batch = batchSize
    let (connection, stream) = try again { try open(request) }
    do {
      while let frame = try connection.nextFrame(of: stream) {
        let intake = RowIntake(context, identifier, plan, grouped: true)
        if !request.prefetch.isEmpty { for block in try frame.related() { try intake.take(block) } }
        try frame.forEachRow(intake.row)
        let links = intake.finish(prefetched: request.prefetch)
        if !links.isEmpty { try body(links) }
      }
    } catch {
      connection.closeStream(stream)
      handle.giveUp(connection, error)
      throw error
    }
    handle.give(connection)
  }

  /// Begins to fetch, over a connection that is the caller's until the end.
  private func open(_ request: FetchRequest) throws -> (BlockingConnection, Int64) {
    let connection = try handle.take()
    do {
      return (connection, try connection.openStream(.fetch(request), deadline: nil))
    } catch {
      handle.giveUp(connection, error)
      throw error
    }
  }

  func delete(_ query: StoreQuery, in context: ModelContext) throws {
    let request = DeleteRequest(
      entity: query.description.name,
      rows: .predicate(query.request.predicate ?? .and([])),
      includesSubentities: query.request.includesSubentities
    )
    try write(nil, author: context.author) { connection, key in
      _ = try connection.delete(request, key: key, author: context.author)
    }
    ObjectRefresh(context).refreshObjects(of: nil, deleting: true)
  }

  func insert(
    _ rows: [[Slot]],
    of description: EntityDescription,
    in context: ModelContext
  ) throws {
    let request = try SaveEncoding.request(inserting: rows, of: description, context.mergePolicy)
    try write(.insert(request), author: context.author) { connection, key in
      _ = try connection.save(request, key: key, author: context.author)
    }
  }

  func update(
    _ query: StoreQuery,
    _ assignments: [StoreAssignment],
    in context: ModelContext
  ) throws -> Int {
    var request = UpdateRequest(
      entity: query.description.name,
      rows: .predicate(query.request.predicate ?? .and([])),
      includesSubentities: query.request.includesSubentities
    )
    var values: [(PropertyDescription, Slot)] = []
    for assignment in assignments {
      switch assignment {
      case .value(let property, let slot): values.append((property, slot))
      case .expression(let property, let expression):
        request.computed.append(UpdateRequest.Computation(property.name, expression))
      }
    }
    request.columns = values.flatMap(\.0.paths)
    if !values.isEmpty {
      try request.values.appendRow { row in
        for (property, value) in values {
          try query.description.write(value, of: property.slot, to: &row)
        }
      }
    }
    // Setting constants twice is harmless; computing from old values twice isn't.
    let known = request.computed.isEmpty ? nil : UnconfirmedWrite.Request.update(request)
    return try write(known, author: context.author) { [request] connection, key in
      try connection.update(request, key: key, author: context.author)
    }
  }

  func aggregate(_ request: StoreAggregation, in context: ModelContext) throws -> [[Value]] {
    let wanted = AggregateRequest(
      entity: request.query.description.name,
      predicate: request.query.request.predicate,
      includesSubentities: request.query.request.includesSubentities,
      keys: request.keys.enumerated().map {
        AggregateRequest.Column(name: "k\($0.offset)", expression: $0.element)
      },
      values: request.values.enumerated().map {
        AggregateRequest.Value(name: "v\($0.offset)", $0.element.0, of: $0.element.1)
      },
      limit: request.query.request.limit,
      offset: request.query.request.offset
    )
    return try talk { connection in
      var groups: [[Value]] = []
      try connection.aggregate(wanted) { row in
        var group: [Value] = []
        for type in request.types {
          let field = try row.field()
          guard let value = field.value(as: type) else { throw field.isNo(type.rawValue) }
          group.append(value)
        }
        groups.append(group)
      }
      return groups
    }
  }
}
