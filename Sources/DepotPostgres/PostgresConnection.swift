/// A session with a PostgreSQL server, ended when the last reference is released.
///
/// It isn't `Sendable`: only one thread at a time may use it, and that thread waits for the server.
package final class PostgresConnection {
  let library: PostgresLibrary
  /// libpq's connection; `nil` once it is closed.
  private var openHandle: OpaquePointer?
  /// The longest wait in nanoseconds until the server sends or accepts bytes; `nil` for no limit.
  ///
  /// After that time the connection is closed and reported as lost.
  package var timeLimit: UInt64?
  /// The number of times that the connection waited for an answer.
  package internal(set) var roundTrips = 0
  /// The payloads of the notifications that ended the last wait for notifications.
  package internal(set) var notifications: [String] = []

  /// The number of warnings from the server.
  package internal(set) var warningCount = 0

  /// The prepared statements of the session, by their SQL.
  var prepared: [String: PreparedStatement] = [:]
  /// The number of prepared statements of the session.
  var preparedCount = 0
  /// The number of names that statements have got.
  var nameCount = 0
  var parameters = ParameterBuffer()
  /// The sent statements whose results weren't received; `nil` for none.
  var outstanding: [SentStatement]?
  /// Whether rows are being read one by one.
  var isReadingRows = false

  /// Connects to a database, on the first host that accepts the connection.
  ///
  /// All text is UTF-8. A host is skipped after 5 s, or the address's `connect_timeout`. A server
  /// that stops answering is noticed after about 8 s unless the address sets other limits.
  ///
  /// - Parameters:
  ///   - address: A connection string of libpq, or a URI; see ``PostgresAddress``.
  ///   - settings: Further parameters, which override the address's: `application_name`, `options`.
  /// - Throws: ``PostgresError`` of every kind but `lost`.
  package init(_ address: String, settings: [String: String] = [:]) throws(PostgresError) {
    library = try PostgresLibrary.shared.get()
    let values = Self.defaults.merging(try PostgresAddress(parsing: address).values) { $1 }
      .merging(settings) { $1 }.merging(["client_encoding": "UTF8"]) { $1 }
    let handle = try Self.connect(values, library)
    openHandle = handle
    countWarnings(handle)
  }

  /// Sets up the counting of warnings; other notices are ignored.
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

  /// Ends the session; an open transaction is rolled back.
  package func close() {
    library.finish(openHandle)
    openHandle = nil
  }

  /// Whether the connection can't be used any more, since it is lost or closed.
  package var isBroken: Bool { openHandle == nil }

  /// The open connection of libpq.
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

  /// Rolls back the open transaction, if there is one and the server can be reached.
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
  /// - Throws: ``PostgresError``; of the kind `lost` if it is unknown whether the statement ran.
  @discardableResult
  package func run(
    _ sql: String,
    _ parameters: [PostgresValue] = []
  ) throws(PostgresError) -> PostgresResult {
    try run([PostgresStatement(sql, parameters)])[0]
  }

  /// Runs several statements in one round trip.
  ///
  /// Without a `BEGIN` among them they are one transaction. After a failed statement the others
  /// don't run, and the connection can still be used; a begun transaction must be rolled back.
  ///
  /// - Returns: The result of each statement.
  /// - Throws: ``PostgresError``, the first one.
  @discardableResult
  package func run(_ statements: [PostgresStatement]) throws(PostgresError) -> [PostgresResult] {
    try send(statements)
    return try receive()
  }
}

@available(*, unavailable)
extension PostgresConnection: Sendable {}
