/// A session with a PostgreSQL server, ended when the last reference goes away.
///
/// It isn't `Sendable`: one thread at a time uses it, which waits for the server.
package final class PostgresConnection {
  let library: PostgresLibrary
  /// libpq's connection; `nil` once it is closed.
  private var openHandle: OpaquePointer?
  /// How long to wait at most, in nanoseconds, until the server sends or takes something; for ever if `nil`.
  ///
  /// After that the connection is closed and counts as lost.
  package var timeLimit: UInt64?
  /// How often the connection waited for an answer.
  package internal(set) var roundTrips = 0
  /// The payloads of the notifications that ended the last wait for such.
  package internal(set) var notifications: [String] = []

  /// How many warnings the server has sent.
  package internal(set) var warningCount = 0

  /// The statements of the server by their texts.
  var prepared: [String: PreparedStatement] = [:]
  /// How many statements the server holds of this session.
  var preparedCount = 0
  /// How many names were given to statements.
  var nameCount = 0
  var parameters = ParameterBuffer()
  /// The statements that were sent and whose results weren't received.
  var outstanding: [SentStatement]?
  /// Whether rows are read that come one by one.
  var isReadingRows = false

  /// Connects to a database, to the first of the hosts that takes the connection.
  ///
  /// The texts are UTF-8. A host is given up after 5 s, or the address's `connect_timeout`, and a server that answers
  /// no more is noticed after about 8 s unless the address says otherwise.
  ///
  /// - Parameters:
  ///   - address: A connection string of libpq, or a URI; see ``PostgresAddress``.
  ///   - settings: Further parameters, which win over the address's: `application_name`, `options`.
  /// - Throws: ``PostgresError`` of every kind but `lost`.
  package init(_ address: String, settings: [String: String] = [:]) throws(PostgresError) {
    library = try PostgresLibrary.shared.get()
    let values = Self.defaults.merging(try PostgresAddress(parsing: address).values) { $1 }
      .merging(settings) { $1 }.merging(["client_encoding": "UTF8"]) { $1 }
    let handle = try Self.connect(values, library)
    openHandle = handle
    countWarnings(handle)
  }

  /// Has warnings counted, and other notices dropped.
  ///
  /// The corresponding C function is `PQsetNoticeReceiver`.
  private func countWarnings(_ handle: OpaquePointer) {
    let receiver: PostgresLibrary.NoticeReceiver = { user, notice in
      guard let user, let library = try? PostgresLibrary.shared.get() else { return }
      let severity = library.resultErrorField(notice, Int32(UnicodeScalar("V").value))
      guard severity.map({ String(cString: $0) }) == "WARNING" else { return }
      Unmanaged<PostgresConnection>.fromOpaque(user).takeUnretainedValue().warningCount += 1
    }
    let user = Unmanaged.passUnretained(self).toOpaque()
    _ = library.setNoticeReceiver(handle, receiver, user)
  }

  deinit { close() }

  /// Ends the session; an open transaction is undone.
  package func close() {
    library.finish(openHandle)
    openHandle = nil
  }

  /// Whether the connection is of no more use: lost, or closed.
  package var isBroken: Bool { openHandle == nil }

  /// libpq's connection.
  ///
  /// - Throws: ``PostgresError`` of the kind `unreachable` if it is closed: nothing was sent.
  var handle: OpaquePointer {
    get throws(PostgresError) {
      guard let openHandle else { throw PostgresError(.unreachable, "the connection is closed") }
      return openHandle
    }
  }

  /// Whether a transaction is open, failed or not.
  ///
  /// The corresponding C function is `PQtransactionStatus`.
  package var isInTransaction: Bool {
    transactionStatus == .open || transactionStatus == .failed
  }

  /// Undoes the transaction that is open, if one is, as far as the server can be reached.
  package func rollBack() {
    if isInTransaction { _ = try? run("ROLLBACK") }
  }

  /// PGTransactionStatusType of libpq-fe.h.
  enum TransactionStatus: Int32 {
    case none = 0
    case active = 1
    case open = 2
    case failed = 3
    case unknown = 4
  }

  var transactionStatus: TransactionStatus {
    TransactionStatus(rawValue: library.transactionStatus(openHandle)) ?? .unknown
  }

  /// Runs one statement in one round trip.
  ///
  /// - Throws: ``PostgresError``; of the kind `lost` if it isn't known whether the statement ran.
  @discardableResult
  package func run(
    _ sql: String,
    _ parameters: [PostgresValue] = []
  ) throws(PostgresError) -> PostgresResult {
    try run([PostgresStatement(sql, parameters)])[0]
  }

  /// Runs several statements in one round trip.
  ///
  /// Without a `BEGIN` among them they are one transaction. After one that fails the others don't run, and the
  /// connection can be used; a transaction that was begun has to be rolled back.
  ///
  /// - Returns: The result of each.
  /// - Throws: ``PostgresError``, the first that there was.
  @discardableResult
  package func run(_ statements: [PostgresStatement]) throws(PostgresError) -> [PostgresResult] {
    try send(statements)
    return try receive()
  }
}

@available(*, unavailable)
extension PostgresConnection: Sendable {}
