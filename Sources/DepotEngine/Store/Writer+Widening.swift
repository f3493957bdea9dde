internal import DepotProtocol
internal import DepotSQLite

extension WriteRequest {
  /// Returns the change of a column that must be made before the request; `nil` if there is none.
  func widening(in catalog: Catalog) -> ColumnWidening? {
    guard case .writeBlob(let write) = operation, !endsConnection else { return nil }
    return ColumnWidening(write.entity, write.attribute, in: catalog)
  }
}

extension Writer {
  /// Widens the column that a request writes to, in a transaction of its own.
  ///
  /// - Returns: The failed outcome of the request; `nil` if the request can be executed now.
  /// - Throws: ``SQLiteError`` if the content of the disk is now unknown.
  func widen(for request: WriteRequest) throws(SQLiteError) -> WriteOutcome? {
    do {
      try widenOrFail(request)
      return nil
    } catch {
      let error = try undo(error)
      statistics.failedWrites += 1
      return request.outcome(.failure(refusal(error)))
    }
  }

  private func widenOrFail(_ request: WriteRequest) throws(Failure) {
    var effect = WriteEffect()
    do {
      try beginTransaction(for: request.control)
      // Another service of the cluster may have widened it before the lock was acquired.
      guard let widening = request.widening(in: catalog) else { return try endOrFail() }
      connection.observe(nil)
      defer { connection.observe(recorder) }
      try widening.run(on: connection)
      try SpecialTables(connection: connection).adapt(from: catalog, to: widening.next)
      recorder.noteWidening()
      effect.catalog = widening.next
    } catch let error as Failure {
      throw error
    } catch {
      throw Failure(error)
    }
    try commit(&effect)
  }
}
