public import DepotProtocol
public import FoundationEssentials

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
    let (columns, values) = try assignments.columns()
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
    self = .predicate(try QueryExpression(predicate))
  }

  /// Selects the rows that have these identifiers.
  public init<Model: Record>(_ identifiers: [Identifier<Model>]) {
    self = .identifiers(identifiers.map(\.value))
  }
}
