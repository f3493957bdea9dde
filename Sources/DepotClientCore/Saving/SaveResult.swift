public import DepotProtocol

/// The result of a ``Save``.
public struct SaveResult: Hashable, Sendable {
  public var inserted = 0
  public var updated = 0
  /// How many rows were deleted, including rows that delete rules cascaded to.
  public var deleted = 0
  /// The identifiers of the rows by their temporary ones, as in `#1`; none if the answer was to be in runs.
  public var identifiers: [String: Int64] = [:]
  /// The identifiers of the rows of each batch to insert, in their order, if the answer was to be in runs.
  public var runs: [[IdentifierRun]] = []
  /// The policy's decisions, in saves that look for conflicts.
  public var conflicts: [SaveConflict] = []
  /// How many more conflicts there are.
  public var moreConflicts = 0
  /// The versions of the rows that were inserted or changed by name, by entities and identifiers, in
  /// saves that look for conflicts.
  public var versions: [String: SavedVersions] = [:]
  /// The token of the transaction in the history; `nil` if nothing changed.
  public var token: HistoryToken?

  /// Rows that follow each other, and so do their identifiers.
  @Memberwise
  public struct IdentifierRun: Hashable, Sendable {
    /// The identifier of the first; 0 for rows without a temporary identifier, whose identifiers
    /// are unknown.
    public var first: Int64
    /// How many rows there are.
    public var count: Int
  }

  /// Returns the version of a record that the save inserted or changed.
  public func version<Model: Record>(of identifier: Identifier<Model>) -> Int64? {
    versions[Model.entity]?[self[identifier].value]
  }

  /// Returns the permanent identifier of a record that was inserted.
  ///
  /// An identifier that isn't temporary, or is of another save, is returned as it is.
  public subscript<Model>(_ identifier: Identifier<Model>) -> Identifier<Model> {
    guard case .string(let name) = identifier.attributeValue else { return identifier }
    return identifiers[name].map(Identifier.init) ?? identifier
  }
}

extension SaveResult {
  init(_ node: JSONNode) throws(DepotError) {
    var reader = try JSONObjectReader(node)
    inserted = try reader.optionalInt("inserted") ?? 0
    updated = try reader.optionalInt("updated") ?? 0
    deleted = try reader.optionalInt("deleted") ?? 0
    for (name, identifier) in try reader.optional("ids")?.members() ?? [] {
      identifiers[try name.string()] = try identifier.int64()
    }
    for batch in try reader.optional("runs")?.elements() ?? [] {
      var list: [IdentifierRun] = []
      for run in try batch.elements() {
        let pair = try run.elements()
        guard pair.count >= 2 else { continue }
        let (first, count) = (try pair[0].int64(), try pair[1].int64())
        try Self.check(first, count)
        list.append(IdentifierRun(first: first, count: Int(count)))
      }
      runs.append(list)
    }
    for node in try reader.optional("conflicts")?.elements() ?? [] {
      if let conflict = SaveConflict(try JSONValue(node)) { conflicts.append(conflict) }
    }
    moreConflicts = try reader.optionalInt("more") ?? 0
    for (name, rows) in try reader.optional("versions")?.members() ?? [] {
      var runs: [SavedVersions.Run] = []
      for row in try rows.elements() {
        let pair = try row.elements()
        guard pair.count >= 2 else { continue }
        let (identifier, version) = (try pair[0].int64(), try pair[1].int64())
        let count = pair.count > 2 ? try pair[2].int64() : 1
        try Self.check(identifier, count)
        runs.append(SavedVersions.Run(first: identifier, count: count, version: version))
      }
      versions[try name.string()] = SavedVersions(runs)
    }
    token = try reader.optionalString("token").map { (text) throws(DepotError) in
      try HistoryToken(text)
    }
  }

  /// Refuses a run of identifiers that no save can have made; none is empty.
  private static func check(_ first: Int64, _ count: Int64) throws(DepotError) {
    guard 1...Int64(Limits.stagedRows) ~= count, first <= .max - count else {
      throw DepotError(.frame, "The answer has \(count) rows from \(first) on.")
    }
  }
}
