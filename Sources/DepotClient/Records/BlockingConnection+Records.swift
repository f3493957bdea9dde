public import DepotClientCore
public import DepotProtocol
public import FoundationEssentials
public import FoundationInternationalization

extension BlockingConnection {
  /// Does what ``Client/insert(_:onConflict:)`` does.
  @discardableResult
  public func insert<Model: Record>(
    _ records: [Model],
    onConflict: InsertRequest.OnConflict = .error
  ) throws -> [Identifier<Model>] {
    try insert(InsertRequest(records, onConflict: onConflict)).identifiers(of: Model.self)
  }

  /// Does what ``Client/get(_:)`` does.
  public func get<Model: Record>(_ identifier: Identifier<Model>) throws -> Model {
    guard let record = try get([identifier]).first else { throw DepotError.missingRow }
    return record
  }

  /// Does what ``Client/get(_:)`` does.
  public func get<Model: Record>(_ identifiers: [Identifier<Model>]) throws -> [Model] {
    var records: [Model] = []
    try get(GetRequest(identifiers)) { records.append(try Model(from: &$0)) }
    return records
  }

  /// Does what ``Client/fetch(_:where:sortBy:limit:offset:prefetch:deadline:)`` does.
  public func fetch<Model: Record>(
    _ type: Model.Type,
    where predicate: Predicate<Model>? = nil,
    sortBy sort: [SortDescriptor<Model>] = [],
    limit: Int? = nil,
    offset: Int = 0,
    prefetch: [any PartialKeyPath<Model> & Sendable] = [],
    deadline: Duration? = nil
  ) throws -> [Model] {
    let request = try FetchRequest(
      type,
      where: predicate,
      sortBy: sort,
      limit: limit,
      offset: offset,
      prefetch: prefetch
    )
    var records: [Model] = []
    try fetch(request, deadline: deadline) { records.append(try Model(from: &$0)) }
    return records
  }

  /// Does what ``Client/count(_:where:)`` does.
  public func count<Model: Record>(
    _ type: Model.Type,
    where predicate: Predicate<Model>? = nil
  ) throws -> Int {
    try count(CountRequest(type, where: predicate))
  }

  /// Does what ``Client/update(_:where:set:)`` does.
  @discardableResult
  public func update<Model: Record>(
    _ type: Model.Type,
    where predicate: Predicate<Model>,
    set assignments: [Assignment<Model>]
  ) throws -> Int {
    try update(UpdateRequest(RowSelection(where: predicate), set: assignments))
  }

  /// Does what ``Client/update(_:set:)`` does.
  public func update<Model: Record>(
    _ identifier: Identifier<Model>,
    set assignments: [Assignment<Model>]
  ) throws {
    try update(UpdateRequest(RowSelection([identifier]), set: assignments))
  }

  /// Does what ``Client/delete(_:where:)`` does.
  @discardableResult
  public func delete<Model: Record>(
    _ type: Model.Type,
    where predicate: Predicate<Model>
  ) throws -> Int {
    try delete(DeleteRequest(entity: Model.entity, rows: RowSelection(where: predicate)))
  }

  /// Does what ``Client/delete(_:)`` does.
  public func delete<Model: Record>(_ identifier: Identifier<Model>) throws {
    try delete(DeleteRequest(entity: Model.entity, rows: RowSelection([identifier])))
  }
}

extension InsertResult {
  /// Returns the identifiers of the rows of a request that reports no rejects.
  func identifiers<Model: Record>(of type: Model.Type) -> [Identifier<Model>] {
    identifiers.compactMap { $0.map(Identifier.init) }
  }
}
