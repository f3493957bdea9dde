/// A statement that the server has prepared for a session.
struct PreparedStatement {
  var name: String
  /// The types of its parameters; 0 if the server chose the type.
  var types: [UInt32]

  /// Whether values of certain types can be its parameters; 0 stands for a null, which always can.
  func takes(_ others: [UInt32]) -> Bool {
    types.count == others.count && zip(types, others).allSatisfy { $1 == 0 || $0 == $1 }
  }

  /// Returns the types of values, where nulls get the types of another statement's parameters.
  static func types(_ types: [UInt32], orThoseOf other: PreparedStatement?) -> [UInt32] {
    guard let other, other.types.count == types.count else { return types }
    return zip(types, other.types).map { $0 == 0 ? $1 : $0 }
  }
}

/// A sent statement whose result hasn't been read yet.
struct SentStatement {
  var sql: String
  /// Whether the server only prepares it.
  var isPreparing: Bool
  /// Whether its result is returned to the caller.
  var isReturned: Bool
}

/// Pipelines statements (postgresql.org/docs/current/libpq-pipeline-mode.html).
extension PostgresConnection {
  /// The most prepared statements of a session.
  private static let mostPrepared = 256

  /// Sends statements without waiting; `receive()` must then be called once to read their results.
  ///
  /// - Throws: ``PostgresError``; of the kind `invalidValue` if nothing was sent.
  package func send(_ statements: [PostgresStatement]) throws(PostgresError) {
    precondition(outstanding == nil && !isReadingRows, "The results before have to be read first.")
    for statement in statements { try statement.check() }
    var sent: [SentStatement] = []
    let handle = try handle
    if !statements.isEmpty {
      var isSent = library.enterPipelineMode(handle) == 1
      // Not in a failed transaction, where the server accepts only its end.
      if preparedCount >= Self.mostPrepared, transactionStatus != .failed {
        isSent = isSent && forgetStatements(handle, &sent)
      }
      for statement in statements where isSent {
        isSent = send(statement, handle, &sent)
      }
      guard isSent, library.pipelineSync(handle) == 1 else { throw lose() }
      try flush()
    }
    outstanding = sent
  }

  private func send(
    _ statement: PostgresStatement,
    _ handle: OpaquePointer,
    _ sent: inout [SentStatement]
  ) -> Bool {
    parameters.fill(with: statement.parameters)
    let known = prepared[statement.sql]
    var name = known.flatMap { $0.takes(parameters.types) ? $0.name : nil }
    if name == nil {
      let types = PreparedStatement.types(parameters.types, orThoseOf: known)
      let new = PreparedStatement(name: "s\(nameCount)", types: types)
      nameCount += 1
      preparedCount += 1
      prepared[statement.sql] = new
      sent.append(SentStatement(sql: statement.sql, isPreparing: true, isReturned: false))
      let count = Int32(types.count)
      guard library.sendPrepare(handle, new.name, statement.sql, count, types) == 1 else {
        return false
      }
      name = new.name
    }
    sent.append(SentStatement(sql: statement.sql, isPreparing: false, isReturned: true))
    return parameters.withPointers { values, sizes, formats, count in
      library.sendQueryPrepared(handle, name ?? "", count, values, sizes, formats, 1)
    } == 1
  }

  /// Makes the server drop all prepared statements.
  private func forgetStatements(_ handle: OpaquePointer, _ sent: inout [SentStatement]) -> Bool {
    prepared = [:]
    preparedCount = 0
    let sql = "DEALLOCATE ALL"
    sent.append(SentStatement(sql: sql, isPreparing: false, isReturned: false))
    return library.sendQueryParams(handle, sql, 0, nil, nil, nil, nil, 0) == 1
  }

  /// Waits for the results of the sent statements.
  ///
  /// - Returns: The result of each statement.
  /// - Throws: ``PostgresError``, the first one.
  package func receive() throws(PostgresError) -> [PostgresResult] {
    guard let sent = outstanding else {
      preconditionFailure("Something has to be sent before results can be received.")
    }
    outstanding = nil
    if sent.isEmpty { return [] }
    roundTrips += 1
    var results: [PostgresResult] = []
    results.reserveCapacity(sent.count)
    var first: PostgresError?
    for statement in sent {
      guard let result = try nextResult() else { throw lose() }
      switch result.status {
      case .commandOK, .tuplesOK, .emptyQuery:
        if statement.isReturned { results.append(result) }
      case .pipelineAborted:
        if statement.isPreparing { prepared[statement.sql] = nil }
      default:
        let error = failure(result, sql: statement.sql)
        if error.kind == .lost { throw error }
        // The tables of the statement were changed, or the server has dropped the prepared
        // statement.
        if statement.isPreparing || error.sqlState == "0A000" || error.sqlState == "26000" {
          prepared[statement.sql] = nil
        }
        first = first ?? error
      }
      // The end of the statement's results.
      guard try nextResult() == nil else { throw lose("a statement has several results") }
    }
    guard try nextResult()?.status == .pipelineSync, library.exitPipelineMode(try handle) == 1
    else {
      throw lose()
    }
    if let first { throw first }
    return results
  }
}
