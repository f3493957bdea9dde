public import DepotProtocol

/// Changes to records of any entities that are made together or not at all.
///
/// A record that is inserted has a temporary identifier at once, so that others can refer to it:
///
/// ```swift
/// var save = Save()
/// let norway = save.insert(Country(name: "Norway"))
/// save.insert(Subdivision(name: "Oslo", country: Related(norway)))
/// try save.update(sweden, set: [.set(\.name, to: "Sverige")])
/// save.delete(denmark)
/// let result = try await depot.save(save)
/// let stored = try await depot.get(result[norway])
/// ```
public struct Save: Sendable {
  /// The policy for a record that has the same unique values as another.
  public var onConflict: InsertRequest.OnConflict
  /// The policy for records that others have changed since they were fetched; ``MergePolicy/error`` if
  /// `nil`.
  public var policy: MergePolicy?
  private var inserts = OrderedBatches()
  var updates = OrderedBatches()
  var deletes: [SaveRequest.Deletion] = []
  var reads: [SaveRequest.ReadSet] = []

  /// Creates a save that changes nothing.
  public init(
    onConflict: InsertRequest.OnConflict = .error,
    policy: MergePolicy? = nil
  ) {
    self.onConflict = onConflict
    self.policy = policy
  }

  /// Whether there is nothing to change.
  public var isEmpty: Bool { inserts.isEmpty && updates.isEmpty && deletes.isEmpty }

  /// The request that makes the changes.
  public var request: SaveRequest {
    SaveRequest(
      inserts: inserts.list.map {
        SaveRequest.Insertion(entity: $0.entity, columns: $0.columns, rows: $0.rows)
      },
      updates: updates.list,
      deletes: deletes,
      onConflict: onConflict,
      reads: reads,
      policy: policy
    )
  }
}

extension Save {
  /// Inserts a record.
  ///
  /// - Returns: Its temporary identifier, which other records of this save may lead to and for
  ///   which the result has the permanent one.
  @discardableResult
  public mutating func insert<Model: Record>(_ record: Model) -> Identifier<Model> {
    let identifier = Identifier<Model>.temporary()
    inserts.append(Model.entity, ["$id"] + Model.attributes.names) { row in
      row.append(identifier)
      record.write(to: &row)
    }
    return identifier
  }

  /// Inserts records; returns their temporary identifiers in their order.
  @discardableResult
  public mutating func insert<Model: Record>(_ records: [Model]) -> [Identifier<Model>] {
    records.map { insert($0) }
  }

  /// Gives new values to a record, which may be one that this save inserts.
  ///
  /// - Throws: ``DepotError`` `request.predicate` if a property isn't listed.
  public mutating func update<Model: Record>(
    _ identifier: Identifier<Model>,
    set assignments: [Assignment<Model>]
  ) throws(DepotError) {
    let (columns, values) = try assignments.columns()
    updates.append(Model.entity, ["$id"] + columns) { row in
      row.append(identifier)
      for value in values { row.append(value) }
    }
  }

  /// Gives all values of `record` to the one that has an identifier.
  public mutating func update<Model: Record>(_ identifier: Identifier<Model>, to record: Model) {
    updates.append(Model.entity, ["$id"] + Model.attributes.names) { row in
      row.append(identifier)
      record.write(to: &row)
    }
  }

  /// Deletes a record, and applies the delete rules of its relationships.
  public mutating func delete<Model: Record>(_ identifier: Identifier<Model>) {
    delete(Model.entity, identifier.value, nil)
  }

  /// Deletes a row, which must have a version if one is given.
  mutating func delete(_ entity: String, _ identifier: Int64, _ version: Int64?) {
    let isSame = { (deletion: SaveRequest.Deletion) in
      deletion.entity == entity && (deletion.versions == nil) == (version == nil)
    }
    let index = deletes.firstIndex(where: isSame) ?? deletes.count
    if index == deletes.count {
      let versions: [Int64]? = version == nil ? nil : []
      deletes.append(SaveRequest.Deletion(entity: entity, identifiers: [], versions: versions))
    }
    deletes[index].identifiers.append(identifier)
    if let version { deletes[index].versions?.append(version) }
  }
}

/// Rows by their entities and columns, in the order of the first row of each.
struct OrderedBatches: Sendable {
  private struct Key: Hashable {
    var entity: String
    var columns: [String]
    var baseColumns: [String]?
  }

  private(set) var list: [SaveRequest.Change] = []
  private var positions: [Key: Int] = [:]

  var isEmpty: Bool { list.isEmpty }

  mutating func append(
    _ entity: String,
    _ columns: [String],
    base baseColumns: [String]? = nil,
    _ write: (inout RowWriter) -> Void,
    base writeBase: (inout RowWriter) -> Void = { _ in }
  ) {
    let key = Key(entity: entity, columns: columns, baseColumns: baseColumns)
    let position = positions[key] ?? list.count
    if position == list.count {
      positions[key] = position
      let base = baseColumns.map { SaveRequest.Base(columns: $0, rows: RowBatch()) }
      list.append(
        SaveRequest.Change(entity: entity, columns: columns, rows: RowBatch(), base: base)
      )
    }
    list[position].rows.appendRow(write)
    list[position].base?.rows.appendRow(writeBase)
  }
}
