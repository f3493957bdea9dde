internal import DepotProtocol

/// Saves that are sent in several parts, and applied by the service as one.
extension SaveRequest {
  /// Returns the save that applies the staged parts of this one.
  func applying(_ staged: Staged) -> SaveRequest {
    SaveRequest(onConflict: onConflict, policy: policy, staged: staged, answersInRuns: true)
  }
}

extension SaveResult {
  /// Returns the result in the form of the request, from an answer in runs.
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
    deadline: Duration?,
    key: String?,
    _ finish: (Operation, _ deadline: Duration?, _ key: String?) throws -> JSONNode
  ) throws -> SaveResult {
    try checkWrite(.save(request))
    let deadline = SharedDeadline(deadline)
    let number = nextIdentifier
    var staged = SaveRequest.Staged(save: number, parts: 0)
    do {
      try upload(request.uploads, deadline)
      staged.parts = try stage(parts, as: number, deadline)
      let node = try finish(.save(request.applying(staged)), deadline.rest(), key)
      return try SaveResult(node).named(for: request)
    } catch {
      if !calls.isLost { _ = try? send(.stage(StageRequest(save: number, .discard))) }
      throw error
    }
  }

  /// Sends the large values of a request, and then the request.
  func uploading<Result>(
    _ uploads: [RequestUpload],
    deadline: Duration?,
    key: String?,
    _ finish: (_ deadline: Duration?, _ key: String?) throws -> Result
  ) throws -> Result {
    guard !uploads.isEmpty else { return try finish(deadline, key) }
    let deadline = SharedDeadline(deadline)
    try upload(uploads, deadline)
    return try finish(deadline.rest(), key)
  }

  private func upload(_ uploads: [RequestUpload], _ deadline: SharedDeadline) throws {
    for upload in uploads {
      for operation in upload { _ = try send(operation, deadline: deadline.rest()) }
    }
  }

  /// Returns how many parts there were.
  private func stage(
    _ parts: SaveParts,
    as number: Int64,
    _ deadline: SharedDeadline
  ) throws -> Int {
    try use(isWrite: false) {
      var parts = parts
      var count = 0
      try pipeline(until: deadline.end.map { $0 + Call.grace }) {
        _ = try deadline.rest()
        return parts.next().map { part in
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
  /// How often everything is sent again because the connection was lost in between.
  private static var attempts: Int { 5 }

  /// Sends the parts of a save and then the save, all of it again if the connection is lost meanwhile.
  func save(
    _ request: SaveRequest,
    _ parts: SaveParts,
    deadline: Duration?,
    key: String?,
    _ finish: (Operation, _ deadline: Duration?, _ key: String?) async throws -> JSONNode
  ) async throws -> SaveResult {
    try core.checkWrite(.save(request))
    let deadline = SharedDeadline(deadline)
    let key = core.key(key)
    let number = Int64.random(in: 1..<1 << 53)
    do {
      return try await again(key) {
        try await upload(request.uploads, deadline)
        var staged = SaveRequest.Staged(save: number, parts: 0)
        var parts = parts
        while let part = parts.next() {
          let stage = StageRequest(save: number, .part(part))
          _ = try await send(.stage(stage), deadline: deadline.rest())
          staged.parts += 1
        }
        let node = try await finish(.save(request.applying(staged)), deadline.rest(), key)
        return try SaveResult(node).named(for: request)
      }
    } catch {
      core.post(.stage(StageRequest(save: number, .discard)))
      throw error
    }
  }

  /// Sends the large values of a request and then the request, all of it again if the connection is lost
  /// meanwhile.
  func uploading<Result>(
    _ uploads: [RequestUpload],
    deadline: Duration?,
    key: String?,
    _ finish: (_ deadline: Duration?, _ key: String?) async throws -> Result
  ) async throws -> Result {
    guard !uploads.isEmpty else { return try await finish(deadline, key) }
    let deadline = SharedDeadline(deadline)
    let key = core.key(key)
    return try await again(key) {
      try await upload(uploads, deadline)
      return try await finish(deadline.rest(), key)
    }
  }

  private func upload(_ uploads: [RequestUpload], _ deadline: SharedDeadline) async throws {
    for upload in uploads {
      for operation in upload { _ = try await send(operation, deadline: deadline.rest()) }
    }
  }

  /// Repeats calls as long as the last one fails because a lost connection dropped the others.
  private func again<Result>(
    _ key: String?,
    _ calls: () async throws -> Result
  ) async throws -> Result {
    var isDoubtful = false
    var attempt = 1
    while true {
      do {
        return try await calls()
      } catch let error as DepotError where error.code == .stagedNotFound && attempt < Self.attempts
      {
        // The answer to the last one was perhaps lost, too.
        isDoubtful = isDoubtful || error.effect == .unknown
        attempt += 1
      } catch {
        throw isDoubtful ? Self.doubtful(error, key) : error
      }
    }
  }

  /// Returns an error that leaves open whether the save was made when it was sent before.
  private static func doubtful(_ error: any Error, _ key: String?) -> any Error {
    var error =
      error as? DepotError
      ?? DepotError(.cancelled, "The save was cancelled after its answer was lost.")
    guard error.effect == .none, !error.code.isVerdict else { return error }
    error.effect = .unknown
    return key.map { error.details(["key": .string($0)]) } ?? error
  }
}
