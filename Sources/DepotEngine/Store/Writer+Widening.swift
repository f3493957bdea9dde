internal import DepotProtocol
internal import DepotSQLite

extension WriteRequest {
  /// Returns the change of a column that the request makes; `nil` if there is none.
  func widening(in catalog: Catalog) -> ColumnWidening? {
    guard case .writeBlob(let write) = operation, !endsConnection else { return nil }
    return ColumnWidening(write.entity, write.attribute, in: catalog)
  }
}

extension Writer {
  /// Changes a column inside the transaction of the request that needs it.
  ///
  /// If the request fails, the column stays as it was. The recorder must not record yet.
  func widen(_ widening: ColumnWidening) throws {
    connection.observe(nil)
    defer { connection.observe(recorder) }
    try widening.run(on: connection)
    try SpecialTables(connection: connection).adapt(from: catalog, to: widening.next)
  }

  /// Executes a request with the column that it has changed, and publishes the change.
  func apply(
    _ request: WriteRequest,
    after widening: ColumnWidening,
    _ effect: inout WriteEffect
  ) throws -> WriteReply.Content {
    let entities = EntityWriters(
      widening.next,
      connection,
      counters: self.entities.counters,
      ceilings: ceilings
    )
    entities.recorder = recorder
    let session = ChangeSession(entities, request.control, client: request.connection)
    let content = try session.apply(request.operation, &effect)
    recorder.noteWidening()
    effect.catalog = widening.next
    return content
  }
}
