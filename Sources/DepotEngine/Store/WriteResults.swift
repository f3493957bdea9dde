internal import DepotProtocol

extension ChangeSession {
  /// Executes a request, and checks the rules of rows at the end.
  func apply(
    _ operation: Operation,
    _ effect: inout WriteEffect
  ) throws -> WriteReply.Content {
    switch operation {
    case .insert(let request):
      var result = try entities.writer(request.entity, at: "/args/entity").insert(request, self)
      result.listsIdentifiers = request.returnsIdentifiers
      result.listsRejects = request.reportsRejects
      try finish()
      effect.rowsInserted += result.inserted
      effect.rowsUpdated += result.updated
      return .insertion(result)
    case .update(let request):
      let writer = try entities.writer(request.entity, at: "/args/entity")
      let identifiers = try writer.update(request, self)
      try finish()
      effect.rowsUpdated += identifiers.count
      guard request.returnsIdentifiers else { return .rows("updated", identifiers.count, nil) }
      try identifiers.checkAnswer()
      return .rows("updated", identifiers.count, identifiers)
    case .delete(let request):
      let (count, identifiers) = try delete(request)
      try finish()
      effect.rowsDeleted += count
      guard request.returnsIdentifiers else { return .rows("deleted", count, nil) }
      try identifiers.checkAnswer()
      return .rows("deleted", count, identifiers)
    case .writeBlob(let request):
      let result = try BlobChange(request, self).run()
      try finish()
      if result.isChanged { effect.rowsUpdated += 1 }
      return .length(result.length)
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
}

extension WriteEffect {
  /// Adds the numbers of rows of a save.
  mutating func add(_ result: SaveResult) {
    rowsInserted += result.inserted
    rowsUpdated += result.updated
    rowsDeleted += result.deleted
  }
}
