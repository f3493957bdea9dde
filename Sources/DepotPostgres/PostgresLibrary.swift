internal import Glibc

/// The functions of libpq, PostgreSQL's client library, which is opened on first use.
///
/// The program isn't linked with it, because that would slow the start of programs that don't use
/// it by 4 ms. The functions have their documented names without PQ
/// (postgresql.org/docs/current/libpq.html).
package struct PostgresLibrary: Sendable {
  typealias Text = UnsafePointer<CChar>
  typealias Texts = UnsafePointer<UnsafePointer<CChar>?>
  typealias Numbers = UnsafePointer<Int32>
  typealias Types = UnsafePointer<UInt32>
  typealias Handle = OpaquePointer?

  /// A function of a connection or of a result that returns a number.
  typealias NumberOf = @Sendable @convention(c) (Handle) -> Int32
  typealias NumberAt = @Sendable @convention(c) (Handle, Int32, Int32) -> Int32
  typealias TextOf = @Sendable @convention(c) (Handle) -> Text?
  typealias Release = @Sendable @convention(c) (Handle) -> Void
  typealias ReleaseMemory = @Sendable @convention(c) (UnsafeMutableRawPointer?) -> Void
  typealias NoticeReceiver = @convention(c) (UnsafeMutableRawPointer?, Handle) -> Void

  let conninfoParse:
    @Sendable @convention(c) (Text, UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?)
      -> UnsafeMutableRawPointer?
  let conninfoFree: ReleaseMemory
  let connectStartParams: @Sendable @convention(c) (Texts, Texts, Int32) -> Handle
  let connectPoll: NumberOf
  let status: NumberOf
  let transactionStatus: NumberOf
  let socket: NumberOf
  let errorMessage: TextOf
  let connectionNeedsPassword: NumberOf
  let setErrorVerbosity: @Sendable @convention(c) (Handle, Int32) -> Int32
  let setNoticeReceiver:
    @Sendable @convention(c) (Handle, NoticeReceiver?, UnsafeMutableRawPointer?) -> NoticeReceiver?
  let finish: Release

  let setnonblocking: @Sendable @convention(c) (Handle, Int32) -> Int32
  let flush: NumberOf
  let consumeInput: NumberOf
  let isBusy: NumberOf
  let notifies: @Sendable @convention(c) (Handle) -> UnsafeMutableRawPointer?
  let freemem: ReleaseMemory

  let enterPipelineMode: NumberOf
  let exitPipelineMode: NumberOf
  let pipelineSync: NumberOf
  let sendQuery: @Sendable @convention(c) (Handle, Text) -> Int32
  let sendPrepare: @Sendable @convention(c) (Handle, Text, Text, Int32, Types?) -> Int32
  let sendQueryPrepared:
    @Sendable @convention(c) (Handle, Text, Int32, Texts?, Numbers?, Numbers?, Int32) -> Int32
  let sendQueryParams:
    @Sendable @convention(c) (Handle, Text, Int32, Types?, Texts?, Numbers?, Numbers?, Int32)
      -> Int32
  let setSingleRowMode: NumberOf
  let putCopyData: @Sendable @convention(c) (Handle, Text, Int32) -> Int32
  let putCopyEnd: @Sendable @convention(c) (Handle, Text?) -> Int32
  let getCancel: @Sendable @convention(c) (Handle) -> Handle
  let cancel: @Sendable @convention(c) (Handle, UnsafeMutablePointer<CChar>, Int32) -> Int32
  let freeCancel: Release

  let getResult: @Sendable @convention(c) (Handle) -> Handle
  let resultStatus: NumberOf
  let resultErrorField: @Sendable @convention(c) (Handle, Int32) -> Text?
  let ntuples: NumberOf
  let nfields: NumberOf
  let getisnull: NumberAt
  let getlength: NumberAt
  let getvalue: @Sendable @convention(c) (Handle, Int32, Int32) -> Text?
  let cmdTuples: TextOf
  let clear: Release

  /// The library, opened once in this process.
  static let shared = Result { () throws(PostgresError) in
    try PostgresLibrary(opening: "libpq.so.5")
  }

  /// Opens the library.
  ///
  /// The corresponding C functions are `dlopen` and `dlsym`.
  init(opening name: String) throws(PostgresError) {
    guard let library = dlopen(name, RTLD_NOW | RTLD_LOCAL) else {
      let reason = dlerror().map { String(cString: $0) } ?? "\(name) can't be opened"
      throw PostgresError(
        .missingLibrary,
        "PostgreSQL's client library is missing: install Debian's package libpq5 (\(reason))"
      )
    }
    let find = Finder(library: library)
    conninfoParse = try find("PQconninfoParse")
    conninfoFree = try find("PQconninfoFree")
    connectStartParams = try find("PQconnectStartParams")
    connectPoll = try find("PQconnectPoll")
    status = try find("PQstatus")
    transactionStatus = try find("PQtransactionStatus")
    socket = try find("PQsocket")
    errorMessage = try find("PQerrorMessage")
    connectionNeedsPassword = try find("PQconnectionNeedsPassword")
    setErrorVerbosity = try find("PQsetErrorVerbosity")
    setNoticeReceiver = try find("PQsetNoticeReceiver")
    finish = try find("PQfinish")
    setnonblocking = try find("PQsetnonblocking")
    flush = try find("PQflush")
    consumeInput = try find("PQconsumeInput")
    isBusy = try find("PQisBusy")
    notifies = try find("PQnotifies")
    freemem = try find("PQfreemem")
    enterPipelineMode = try find("PQenterPipelineMode")
    exitPipelineMode = try find("PQexitPipelineMode")
    pipelineSync = try find("PQpipelineSync")
    sendQuery = try find("PQsendQuery")
    sendPrepare = try find("PQsendPrepare")
    sendQueryPrepared = try find("PQsendQueryPrepared")
    sendQueryParams = try find("PQsendQueryParams")
    setSingleRowMode = try find("PQsetSingleRowMode")
    putCopyData = try find("PQputCopyData")
    putCopyEnd = try find("PQputCopyEnd")
    getCancel = try find("PQgetCancel")
    cancel = try find("PQcancel")
    freeCancel = try find("PQfreeCancel")
    getResult = try find("PQgetResult")
    resultStatus = try find("PQresultStatus")
    resultErrorField = try find("PQresultErrorField")
    ntuples = try find("PQntuples")
    nfields = try find("PQnfields")
    getisnull = try find("PQgetisnull")
    getlength = try find("PQgetlength")
    getvalue = try find("PQgetvalue")
    cmdTuples = try find("PQcmdTuples")
    clear = try find("PQclear")
  }

  /// Finds functions by their names.
  private struct Finder {
    let library: UnsafeMutableRawPointer

    func callAsFunction<Function>(_ name: String) throws(PostgresError) -> Function {
      guard let symbol = dlsym(library, name) else {
        throw PostgresError(
          .missingLibrary,
          "PostgreSQL's client library has no \(name): install version 14 or newer of libpq5"
        )
      }
      return unsafeBitCast(symbol, to: Function.self)
    }
  }
}
