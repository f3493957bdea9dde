internal import DepotProtocol

extension ChangeSession {
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
