public import DepotProtocol
public import FoundationEssentials
public import FoundationInternationalization

extension FetchRequest {
  /// Describes the rows of a record's entity that satisfy a predicate.
  ///
  /// - Parameters:
  ///   - type: The record.
  ///   - predicate: What the rows must satisfy; all rows if `nil`.
  ///   - sort: The properties to sort by, the most important first.
  ///   - limit: How many rows to return at most.
  ///   - offset: How many rows to leave out at the beginning.
  /// - Throws: ``DepotError`` `request.predicate` if the service can't do what the predicate or the
  ///   order asks for.
  public init<Model: Record>(
    _ type: Model.Type,
    where predicate: Predicate<Model>? = nil,
    sortBy sort: [SortDescriptor<Model>] = [],
    limit: Int? = nil,
    offset: Int = 0
  ) throws(DepotError) {
    self.init(entity: Model.entity, limit: limit, offset: offset)
    self.predicate = try QueryExpression(lowering: predicate)
    for descriptor in sort { self.sort.append(try SortKey(lowering: descriptor)) }
    select = Model.attributes.names
    namesColumns = false
  }
}

extension CountRequest {
  /// Describes the rows of a record's entity that satisfy a predicate.
  ///
  /// - Throws: ``DepotError`` `request.predicate`.
  public init<Model: Record>(
    _ type: Model.Type,
    where predicate: Predicate<Model>? = nil
  ) throws(DepotError) {
    self.init(entity: Model.entity, predicate: try QueryExpression(lowering: predicate))
  }
}

extension GetRequest {
  /// Names the rows that have these identifiers.
  public init<Model: Record>(_ identifiers: [Identifier<Model>], allowsMissing: Bool = false) {
    self.init(
      entity: Model.entity,
      identifiers: identifiers.map(\.value),
      select: Model.attributes.names,
      allowsMissing: allowsMissing,
      namesColumns: false
    )
  }
}

extension InsertRequest {
  /// Holds the values of records.
  public init<Model: Record>(_ records: [Model], onConflict: OnConflict = .error) {
    var rows = RowBatch()
    for record in records { rows.appendRow { record.write(to: &$0) } }
    self.init(
      entity: Model.entity,
      columns: Model.attributes.names,
      rows: rows,
      onConflict: onConflict
    )
  }
}

extension UpdateRequest {
  /// Gives rows new values.
  ///
  /// - Throws: ``DepotError`` `request.predicate` if a property isn't an attribute.
  public init<Model: Record>(
    _ rows: RowSelection,
    set assignments: [Assignment<Model>]
  ) throws(DepotError) {
    var columns: [String] = []
    for assignment in assignments {
      columns.append(try Model.attributeName(of: assignment.keyPath))
    }
    self.init(
      entity: Model.entity,
      rows: rows,
      columns: columns,
      values: RowBatch([assignments.map(\.value)])
    )
  }
}

extension RowSelection {
  /// Selects the rows that satisfy a predicate.
  ///
  /// - Throws: ``DepotError`` `request.predicate`.
  public init<Model: Record>(where predicate: Predicate<Model>) throws(DepotError) {
    self = .predicate(try PredicateLowering.lower(predicate))
  }

  /// Selects the rows that have these identifiers.
  public init<Model: Record>(_ identifiers: [Identifier<Model>]) {
    self = .identifiers(identifiers.map(\.value))
  }
}

extension QueryExpression {
  fileprivate init?<Model: Record>(lowering predicate: Predicate<Model>?) throws(DepotError) {
    guard let predicate else { return nil }
    self = try PredicateLowering.lower(predicate)
  }
}
