import DepotEngine
import DepotProtocol
import DepotSQLite

/// Short forms of requests whose rows are written as JSON.
extension StoreFixture {
  /// Inserts rows and returns their identifiers.
  @discardableResult
  func insert(
    _ entity: String,
    _ columns: [String],
    _ rows: String,
    onConflict: InsertRequest.OnConflict = .error
  ) async throws -> [Int64?] {
    let request = InsertRequest(
      entity: entity,
      columns: columns,
      rows: .text(rows),
      onConflict: onConflict
    )
    return try await write(.insert(request))["ids"]?.array?.map(\.int64) ?? []
  }

  /// Gives rows new values.
  @discardableResult
  func update(
    _ entity: String,
    _ identifiers: [Int64],
    _ columns: [String],
    _ values: String
  ) async throws -> JSONValue {
    try await write(
      .update(
        UpdateRequest(
          entity: entity,
          rows: .identifiers(identifiers),
          columns: columns,
          values: .text("[\(values)]")
        )
      )
    )
  }

  @discardableResult
  func delete(_ entity: String, _ identifiers: [Int64]) async throws -> Int64? {
    try await write(.delete(DeleteRequest(entity: entity, rows: .identifiers(identifiers))))[
      "deleted"
    ]?.int64
  }

  /// Returns the code of the error that `body` throws, or `nil`.
  func code(_ body: () async throws -> Void) async -> DepotError? {
    do {
      try await body()
      return nil
    } catch {
      return error as? DepotError
    }
  }

  /// Returns the rows that the store would give to a client, without identifier and version.
  func read(
    _ entity: String,
    in path: String,
    select: [String]? = nil,
    int64: Int64Form = .number
  ) throws -> [String] {
    let reader = try QuickReader(path: path, budget: 60_000_000_000)
    let request = FetchRequest(entity: entity, select: select)
    let answer = try reader.answer(.fetch(request), store.catalog, int64: int64) ?? []
    return try ReaderFixture.lines(answer).flatMap { $0["next"]?.array ?? [] }
      .map { JSONValue.array(Array($0.array?.dropFirst(2) ?? [])).text }
  }

  /// Closes the store and returns what is wrong with it.
  func problems(_ path: String) async throws -> [String]? {
    await close()
    return try Store.check(path: path)
  }
}

extension RowBatch {
  /// Takes the text of a JSON array of rows.
  static func text(_ json: String) -> RowBatch { RowBatch(json: Array(json.utf8), count: 1) }
}

/// Returns the rows of a query with all values as text, `nil` for null.
func texts(_ sql: String, in path: String) throws -> [[String?]] {
  try rows(sql, in: path).map { row in
    row.map { value in
      switch value {
      case .null: nil
      case .integer(let value): "\(value)"
      case .real(let value): "\(value)"
      case .text(let value): value
      case .blob(let value): "\(value)"
      }
    }
  }
}
