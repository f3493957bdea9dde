internal import DepotClientCore
internal import DepotProtocol

/// `depot log -f`: transactions as they are committed.
struct HistoryFollowing {
  private let session: CommandSession
  private let printer: LogPrinter

  init(_ session: CommandSession) {
    self.session = session
    printer = LogPrinter(session)
  }

  /// Shows existing transactions, then new ones until the user interrupts.
  func run(_ request: HistoryRequest, _ retry: OptionSpec) throws {
    guard request.until == nil else {
      throw DepotError(.usage, "--until and --follow contradict each other.")
    }
    let patience = try session.invocation.number(retry) ?? 60
    let run = try WatchRun(session, patience: patience) { nil }
    var reader = HistoryReader(since: try showFirst(request))
    var watch = WatchRequest(.history(request.watched))
    watch.bookmarkMilliseconds = 30_000
    try run.run(watch) {
      reader.token
    } lost: { error in
      reader.restart()
      session.say("\(error.message) Going on when there is a service again.")
    } frames: { bytes in
      _ = try reader.receive(bytes).allSatisfy(show)
      if reader.gap == nil { return false }
      return try !session.connect(mayStart: false).fillGap(&reader, watch, show)
    }
  }

  /// Shows the last existing transactions; returns the token after them.
  private func showFirst(_ request: HistoryRequest) throws -> HistoryToken {
    var request = request
    let connection = try session.connect(mayStart: false)
    if request.since != nil, request.limit == nil {
      return try connection.history(request) { try printer.print($0) }.token
    }
    request.isDescending = true
    request.limit = request.limit ?? 20
    var pieces: [[HistoryTransaction]] = []
    let end = try connection.history(request) { piece in
      if let last = pieces.last?.last, last.token == piece.token {
        pieces[pieces.count - 1].append(piece)
      } else {
        pieces.append([piece])
      }
    }
    for piece in pieces.reversed().joined() { try printer.print(piece) }
    return end.token
  }

  /// Shows an event; returns `true`, since there may be more.
  private func show(_ event: HistoryEvent) throws -> Bool {
    switch event {
    case .transaction(let transaction): try printer.print(transaction)
    case .gap(let from, let to):
      let (from, to) = (from?.description ?? "the beginning", to?.description ?? "now")
      session.say("What was after \(from) up to \(to) can't be told any more.")
    case .current, .interrupted: break
    }
    return true
  }
}
