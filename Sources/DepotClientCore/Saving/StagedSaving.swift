internal import DepotProtocol

extension SaveRequest {
  /// Returns the save that applies what was staged of this one.
  func applying(_ staged: Staged) -> SaveRequest {
    SaveRequest(onConflict: onConflict, policy: policy, staged: staged, answersInRuns: true)
  }
}

extension SaveResult {
  /// Returns the result as a request wants it whose answer came in runs.
  ///
  /// - Throws: ``DepotError`` if the request's rows can't be read.
  func named(for request: SaveRequest) throws(DepotError) -> SaveResult {
    guard !request.answersInRuns else { return self }
    var result = self
    result.runs = []
    for (insertion, runs) in zip(request.inserts, runs) {
      guard let column = insertion.columns.firstIndex(of: "$id") else { continue }
      var run = 0
      var place = 0
      try insertion.rows.json.withUnsafeBufferPointer { (bytes) throws(DepotError) in
        var reader = try RowReader(bytes)
        while run < runs.count, try reader.beginRow() {
          var position = 0
          while !reader.isAtEndOfRow() {
            let field = try reader.field()
            if position == column, let name = field.string, runs[run].first != 0 {
              result.identifiers[name] = runs[run].first + Int64(place)
            }
            position += 1
          }
          try reader.endRow()
          place += 1
          if place == runs[run].count { (run, place) = (run + 1, 0) }
        }
      }
    }
    return result
  }
}

extension BlockingConnection {
  /// Sends the parts of a save, each while the service keeps the one before, and then the save.
  func save(
    _ request: SaveRequest,
    _ parts: SaveParts,
    key: String?,
    _ finish: (Operation, _ key: String?) throws -> JSONNode
  ) throws -> SaveResult {
    try checkWrite(.save(request))
    let number = nextIdentifier
    var staged = SaveRequest.Staged(save: number, parts: 0)
    do {
      staged.parts = try stage(parts, as: number)
      return try SaveResult(finish(.save(request.applying(staged)), key)).named(for: request)
    } catch let error as DepotError {
      if error.code != .disconnected {
        _ = try? send(.stage(StageRequest(save: number, .discard)))
      }
      throw error
    }
  }

  /// Returns how many parts there were.
  private func stage(_ parts: SaveParts, as number: Int64) throws -> Int {
    try use(isWrite: false) {
      var parts = parts
      var count = 0
      try pipeline {
        parts.next().map { part in
          count += 1
          return Call(id: nextIdentifier, .stage(StageRequest(save: number, .part(part))))
        }
      } results: { _ in
      }
      return count
    }
  }
}

extension Client {
  /// How often the parts are sent again because the connection was lost between them.
  private static var attempts: Int { 5 }

  /// Sends the parts of a save and then the save, all of it again if the connection is lost meanwhile.
  func save(
    _ request: SaveRequest,
    _ parts: SaveParts,
    key: String?,
    _ finish: (Operation, _ key: String?) async throws -> JSONNode
  ) async throws -> SaveResult {
    try core.checkWrite(.save(request))
    let key = core.key(key)
    let number = Int64.random(in: 1..<1 << 53)
    var attempt = 1
    while true {
      do {
        var staged = SaveRequest.Staged(save: number, parts: 0)
        var parts = parts
        while let part = parts.next() {
          let stage = StageRequest(save: number, .part(part))
          _ = try await send(.stage(stage))
          staged.parts += 1
        }
        let node = try await finish(.save(request.applying(staged)), key)
        return try SaveResult(node).named(for: request)
      } catch let error as DepotError where error.code == .stagedNotFound && attempt < Self.attempts
      {
        // They were of a connection that is lost.
        attempt += 1
      } catch {
        core.post(.stage(StageRequest(save: number, .discard)))
        throw error
      }
    }
  }
}
