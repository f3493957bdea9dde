package import DepotProtocol

/// The rows of a record's entity as they are read one by one, with their large values.
package struct WholeRowRequest: Sendable {
  let fetch: FetchRequest
  let columns: LargeColumns

  /// Takes the form of the rows from a request.
  package init<Model: Record>(_ type: Model.Type, as request: FetchRequest) {
    columns = LargeColumns(of: type)
    fetch = FetchRequest(
      entity: request.entity,
      select: request.select,
      prefetch: request.prefetch,
      namesColumns: request.namesColumns
    )
  }

  fileprivate func fetch(_ identifier: Int64) -> Operation {
    var fetch = fetch
    fetch.predicate = .identifiers([identifier])
    return .fetch(fetch)
  }
}

extension QueryExpression {
  /// The predicate that a row has one of some identifiers.
  package static func identifiers(_ list: [Int64]) -> QueryExpression {
    .in(.attribute("$id"), list.map { .value(.int64($0)) })
  }
}

/// Values of any size in records.
extension ServiceConnection {
  /// Returns a row with its large values, all of them as they were at one version of the row.
  ///
  /// - Parameters:
  ///   - identifier: The row.
  ///   - request: The form of the row.
  ///   - deadline: How long it may take.
  ///   - decode: Reads the values of the row.
  /// - Returns: The result of `decode`, and the row's version; `nil` if there is no such row.
  /// - Throws: ``DepotError`` `stream.expired` if the row is changed meanwhile, and so much else that no
  ///   snapshot can be kept; errors of `decode`.
  @Blocking
  package func wholeRow<Content>(
    _ identifier: Int64,
    _ request: WholeRowRequest,
    _ deadline: SharedDeadline,
    _ decode: (inout RowReader) throws -> Content
  ) async throws -> (version: Int64, content: Content)? where Self == Client {
    do {
      return try await self.currentRow(identifier, request, deadline, decode)
    } catch let error as DepotError where [.read, .objectNotFound].contains(error.code) {
      // It was changed while it was read, which a snapshot isn't.
      guard self.snapshot == nil else { throw error }
      return try await self.withSnapshot { snapshot in
        try await snapshot.currentRow(identifier, request, deadline, decode)
      }
    }
  }

  /// Returns a row with its large values, unless it is changed while they are read.
  ///
  /// - Throws: ``DepotError`` `conflict.read` or `notfound.object` if it is, and others.
  @Blocking
  private func currentRow<Content>(
    _ identifier: Int64,
    _ request: WholeRowRequest,
    _ deadline: SharedDeadline,
    _ decode: (inout RowReader) throws -> Content
  ) async throws -> (version: Int64, content: Content)? where Self == Client {
    guard let frame = try await self.firstFrame(request.fetch(identifier), deadline.rest()) else {
      return nil
    }
    let large = LargeValues()
    while true {
      do {
        var row: (version: Int64, content: Content)?
        try frame.forEachRow(with: large, request.columns) { row = ($0.version, try decode(&$0)) }
        return row
      } catch let error as DepotError where error.isOfLength {
        let missing = large.takeMissing()
        guard !missing.isEmpty else { throw error }
        for place in missing {
          let value = try await self.blobText(place.request, deadline: deadline.rest())
          guard value.version == place.version else { throw DepotError.changed(place) }
          large.add(value.json, place)
        }
      }
    }
  }
}

extension Client {
  fileprivate func firstFrame(
    _ operation: Operation,
    _ deadline: Duration?
  ) async throws -> RowFrame? {
    var frames = FetchedFrames(client: self, operation: operation, deadline: deadline)
      .makeAsyncIterator()
    return try await frames.next()
  }

  /// Reads a whole value as JSON, with the version of its row.
  fileprivate func blobText(
    _ request: BlobReadRequest,
    deadline: Duration?
  ) async throws -> (json: [UInt8], version: Int64) {
    var chunks = readBlob(request, deadline: deadline).makeAsyncIterator()
    var bytes: [UInt8] = []
    while let chunk = try await chunks.next() { bytes += chunk }
    guard let end = try chunks.result else { throw DepotError.missingRow }
    return (chunks.pieces.json(bytes, end), end.version)
  }
}

extension BlockingConnection {
  fileprivate func firstFrame(_ operation: Operation, _ deadline: Duration?) throws -> RowFrame? {
    var first: RowFrame?
    _ = try send(operation, deadline: deadline) { frame in
      first = frame
      first?.reading = RowReading(operation)
    }
    return first
  }
}

extension LargeValues.Place {
  fileprivate var request: BlobReadRequest {
    BlobReadRequest(entity: entity, identifier: identifier, attribute: attribute)
  }
}

extension DepotError {
  /// The error that a row has another version than before.
  fileprivate static func changed(_ place: LargeValues.Place) -> DepotError {
    DepotError(
      .read,
      "\(place.entity)/\(place.identifier) was changed while its \(place.attribute) was read."
    )
  }
}
