import DepotClient
import DepotLinux
import DepotProtocol

/// A client that watches the history of the notes, or a count of them, and goes on after a lost connection.
struct NoteWatcher {
  private let session: ProofSession
  private let plan: ProofPlan
  private let name: String
  private let isAbandoned: () -> Bool

  init(_ session: ProofSession, _ plan: ProofPlan, isAbandoned: @escaping () -> Bool) {
    self.session = session
    self.plan = plan
    name = session.newName()
    self.isAbandoned = isAbandoned
  }

  private func note(_ event: String, _ token: HistoryToken, _ members: String = "") {
    session.recorder.note(event, name, #","token":\#(token.sequence)"# + members)
  }

  /// Calls `body` with connections until one isn't lost.
  private func persist(_ body: (BlockingConnection) throws -> Void) throws {
    while !isAbandoned() {
      do {
        return try body(BlockingConnection(socket: SocketPath(plan.socket), name: "watcher"))
      } catch let error as DepotError where error.code.class == "unavailable" {
        Process.sleep(milliseconds: 5)
      }
    }
  }

  /// Watches the history until nobody writes any more and all was told.
  func watchHistory(until isQuiet: @escaping @Sendable () -> Bool) throws {
    let told = Shared<HistoryToken?>(nil)
    var options = WatchOptions()
    options.bookmark = .milliseconds(200)
    let socket = SocketPath(plan.socket)
    try persist { connection in
      let disconnector = connection.disconnector
      let isOver = Flag()
      defer { isOver.set() }
      try DepotLinux.Thread.start(name: "stop") {
        while !isOver.value {
          DepotLinux.Process.sleep(milliseconds: 20)
          guard isQuiet(), let last = told.value,
            let head = try? BlockingConnection(socket: socket).historyStatus().head, last >= head
          else { continue }
          return disconnector.disconnect()
        }
      }
      let request = HistoryRequest(entity: "Note")
      try connection.watchHistory(request, since: told.value, options: options) { event in
        switch event {
        case .transaction(let transaction):
          note("history", transaction.token)
          told.change { $0 = transaction.token }
        case .current(let moment):
          note(told.value == nil ? "history-begin" : "history-current", moment)
          told.change { $0 = moment }
        case .gap:
          throw DepotError(.bug, "There is a gap in the watched history: \(event).")
        case .interrupted: break
        }
        return true
      }
    }
    if let last = told.value { note("history-current", last) }
  }

  /// Watches the count until nobody writes any more.
  func watchCount(until isQuiet: () -> Bool) throws {
    let predicate = try PredicateParser.parse("b == \(NoteState.countedValue)")
    let request = WatchRequest(
      .count(CountRequest(entity: "Note", predicate: predicate)),
      bookmarkMilliseconds: 200
    )
    try persist { connection in
      var reader = AnswerReader.count
      try connection.watch(request) { bytes in
        if let answer = try reader.receive(bytes) {
          note("count", answer.token, #","count":\#(answer.value)"#)
        }
        return !isQuiet()
      }
    }
  }
}
