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
  ///   - prefetch: The relationships whose rows are to come along, as in `\.country` and
  ///     `\.tags.every.owner`.
  /// - Throws: ``DepotError`` `request.predicate` if the service can't do what the predicate or the
  ///   order asks for.
  public init<Model: Record>(
    _ type: Model.Type,
    where predicate: Predicate<Model>? = nil,
    sortBy sort: [SortDescriptor<Model>] = [],
    limit: Int? = nil,
    offset: Int = 0,
    prefetch: [any PartialKeyPath<Model> & Sendable] = []
  ) throws(DepotError) {
    self.init(entity: Model.entity, limit: limit, offset: offset)
    for keyPath in prefetch { self.prefetch.append(try Model.property(keyPath).path) }
    self.predicate = try QueryExpression(lowering: predicate)
    for descriptor in sort { self.sort.append(try SortKey(lowering: descriptor)) }
    select = Model.attributes.selection
    // The rows that come along are known by the names of their columns only.
    namesColumns = !prefetch.isEmpty
  }

  /// Returns the request for records, or why there is none, for a sequence that tells it with its first
  /// element.
  static func lowering<Model: Record>(
    _ type: Model.Type,
    where predicate: Predicate<Model>?,
    sortBy sort: [SortDescriptor<Model>],
    limit: Int?,
    offset: Int,
    prefetch: [any PartialKeyPath<Model> & Sendable] = []
  ) -> Result<FetchRequest, DepotError> {
    Result { () throws(DepotError) in
      try FetchRequest(
        type,
        where: predicate,
        sortBy: sort,
        limit: limit,
        offset: offset,
        prefetch: prefetch
      )
    }
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
      select: Model.attributes.selection,
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
    var values: [Value] = []
    for assignment in assignments {
      for (name, value) in try assignment.columns() {
        columns.append(name)
        values.append(value)
      }
    }
    self.init(
      entity: Model.entity,
      rows: rows,
      columns: columns,
      values: RowBatch([values])
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
  /// Translates a predicate for the service.
  ///
  /// - Throws: ``DepotError`` `request.predicate` if the service can't do what it asks for.
  public init<Model: Record>(_ predicate: Predicate<Model>) throws(DepotError) {
    self = try PredicateLowering.lower(predicate)
  }

  /// Translates an expression for the service, to sort, group, or aggregate by.
  ///
  /// - Throws: ``DepotError`` `request.predicate` if the service can't do what it asks for.
  public init<Model: Record, Output>(
    _ expression: Expression<Model, Output>
  ) throws(DepotError) {
    self = try PredicateLowering.lower(expression)
  }

  init?<Model: Record>(lowering predicate: Predicate<Model>?) throws(DepotError) {
    guard let predicate else { return nil }
    self = try PredicateLowering.lower(predicate)
  }
}
