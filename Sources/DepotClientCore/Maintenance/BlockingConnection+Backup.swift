package import DepotProtocol

extension BlockingConnection {
  /// Calls `body` with the pieces of a snapshot of a store's file, from the first byte to the last.
  ///
  /// - Parameters:
  ///   - store: The name of the store; needed only if the container has several.
  ///   - body: Takes a piece, and the size of the whole file. While it runs, the service reads
  ///     ahead only a little.
  /// - Returns: The facts about the file.
  /// - Throws: ``DepotError`` `permission.op` unless this user owns the service, `stream.expired`
  ///   if the client was too slow, `storage.corrupt` if a page is damaged, and others; errors of
  ///   `body`.
  package func backup(
    store: String? = nil,
    _ body: (_ piece: [UInt8], _ size: Int) throws -> Void
  ) throws -> BackupFacts {
    var next = 0
    // The offset and the size stand where rows have an identifier and a version.
    let node = try stream(.backup(store: store), nil) { row in
      guard let piece = try row.field().data, Int(row.identifier) == next else {
        throw DepotError(.type, "The service sent a piece that doesn't follow the last one.")
      }
      next += piece.count
      try body(Array(piece), Int(row.version))
    }
    let facts = try BackupFacts(JSONValue(node))
    guard facts.size == next else {
      throw DepotError(.type, "The service sent \(next) of \(facts.size) bytes.")
    }
    return facts
  }
}

/// The content of a backup's file.
package struct BackupFacts {
  /// The size in bytes.
  package var size: Int
  /// The identifier of the store.
  package var store: String
  /// The token of the last transaction; `nil` if there was none.
  package var token: String?

  init(_ value: JSONValue) {
    size = Int(value["size"]?.int64 ?? -1)
    store = value["store"]?.string ?? ""
    token = value["token"]?.string
  }
}

/// The findings of a check of a whole store.
package struct StoreFindings {
  /// A sentence for each problem.
  package var problems: [String]
  /// How many pages were read.
  package var pages: Int
  package var token: String?
}

extension BlockingConnection {
  /// Returns the use of space on the store's disk.
  package func space(store: String? = nil) throws -> JSONValue {
    try JSONValue(send(.space(store: store)))
  }

  /// Returns the list of the schemas that a store had, or the one of a number.
  package func schemaVersions(
    number: Int64? = nil,
    since: Int64? = nil,
    store: String? = nil
  ) throws -> JSONValue {
    try JSONValue(send(.schemaVersions(number: number, since: since, store: store)))
  }

  /// Gives the store's free pages back, and returns its size before and after.
  package func compact(store: String? = nil) throws -> JSONValue {
    try JSONValue(send(.compact(store: store)))
  }

  /// Removes copies of the store by their names.
  package func removeCopies(_ names: [String], store: String? = nil) throws -> JSONValue {
    try JSONValue(send(.removeCopies(names, store: store)))
  }
}

extension ServiceConnection {
  /// Checks every page and every row of a snapshot of a store.
  ///
  /// - Parameter store: The name of the store; needed only if the container has several.
  /// - Returns: The findings.
  /// - Throws: ``DepotError`` `stream.expired` if the service couldn't keep the snapshot, and
  ///   others.
  @Blocking
  package func check(store: String? = nil) async throws -> StoreFindings where Self == Client {
    let value = try JSONValue(await self.send(.check(store: store)))
    return StoreFindings(
      problems: value["problems"]?.array?.compactMap(\.string) ?? [],
      pages: Int(value["pages"]?.int64 ?? 0),
      token: value["token"]?.string
    )
  }
}
