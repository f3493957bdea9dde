internal import DepotProtocol

extension ChangeSession {
  /// Executes a request, and checks the rules of rows at the end.
  func apply(
    _ operation: Operation,
    _ effect: inout WriteEffect
  ) throws -> WriteReply.Content {
    switch operation {
    case .insert(let request):
      let result = try entities.writer(request.entity, at: "/args/entity").insert(request, self)
      try finish()
      effect.rowsInserted += result.inserted
      effect.rowsUpdated += result.updated
      return .insertion(result, request)
    case .update(let request):
      let writer = try entities.writer(request.entity, at: "/args/entity")
      let identifiers = try writer.update(request, self)
      try finish()
      effect.rowsUpdated += identifiers.count
      guard request.returnsIdentifiers else { return .rows("updated", identifiers.count, nil) }
      try WriteReply.checkIdentifiers(identifiers.textByteCount)
      return .rows("updated", identifiers.count, identifiers)
    case .delete(let request):
      let (count, identifiers) = try delete(request)
      try finish()
      effect.rowsDeleted += count
      guard request.returnsIdentifiers else { return .rows("deleted", count, nil) }
      try WriteReply.checkIdentifiers(identifiers.textByteCount)
      return .rows("deleted", count, identifiers)
    case .writeBlob(let request):
      let result = try BlobChange(request, self).run()
      try finish()
      if result.isChanged { effect.rowsUpdated += 1 }
      return .members(["length": .int64(Int64(result.length))])
    case .save(let request):
      let result = try save(request)
      effect.add(result)
      return .save(result)
    default:
      throw DepotError(.bug, "\"\(operation.name)\" isn't a write.")
    }
  }

  private func save(_ request: SaveRequest) throws -> SaveResult {
    let run = try SaveRun(request, self)
    do {
      var result = try run.run()
      try finish()
      try run.addVersions(&result)
      return result
    } catch let error as DepotError where error.code == .unique || error.code == .violations {
      throw try run.explained(error)
    }
  }

  /// Sets relationships, and checks the rules of rows at the end.
  func finish() throws {
    try applyLinkChanges()
    try deleteValuesInRows()
    try refreshDerived()
    try checkTargets()
    try violations.throwIfAny()
  }

  /// Computes the derived attributes of all affected rows.
  private func refreshDerived() throws {
    // The request fails anyway after a broken rule, and rows that break one may not be stored.
    guard violations.errors.isEmpty else { return }
    try entities.derivedAttributes().refresh(entities, step: versionStep) { error in
      try violate(error)
    }
  }

  /// Deletes the rows of a request or its chunk, and the rows that delete rules delete with them.
  ///
  /// It returns the number of all deleted rows, and of those in the entity's table.
  ///
  /// A damaged row can be deleted like any other: there is no other way to get rid of it.
  func delete(
    _ request: DeleteRequest,
    only chunk: [Int64]? = nil
  ) throws -> (count: Int, identifiers: [Int64]) {
    let writer = try entities.writer(request.entity, at: "/args/entity")
    let plain = try PlainDeletion(self, of: writer.layout)
    if let plain, chunk == nil, request.isWhole(writer.layout) {
      return (try plain.deleteAll(), [])
    }
    let rows =
      try chunk
      ?? writer.identifiers(
        request.rows,
        includingDescendants: request.includesSubentities,
        control
      )
    if let plain {
      let missing = try plain.delete(rows)
      guard missing.isEmpty || chunk != nil else { throw writer.layout.missing(missing) }
      let gone = Set(missing)
      return (rows.count - missing.count, gone.isEmpty ? rows : rows.filter { !gone.contains($0) })
    }
    let deletion = Deletion(self)
    let missing = try deletion.add(rows, of: writer.layout)
    guard missing.isEmpty || chunk != nil else { throw writer.layout.missing(missing) }
    return (try deletion.run(), deletion.identifiers(of: writer.layout))
  }
}

extension DeleteRequest {
  /// Whether all rows of the entity's table are deleted, and their identifiers aren't requested.
  fileprivate func isWhole(_ layout: EntityLayout) -> Bool {
    guard rows.predicate == .and([]) || rows.predicate == .value(.bool(true)), !returnsIdentifiers
    else { return false }
    return layout.isRoot && (includesSubentities || layout.numbers.count == 1)
  }
}

extension WriteEffect {
  /// Adds the numbers of rows of a save.
  mutating func add(_ result: SaveResult) {
    rowsInserted += result.inserted
    rowsUpdated += result.updated
    rowsDeleted += result.deleted
  }
}
