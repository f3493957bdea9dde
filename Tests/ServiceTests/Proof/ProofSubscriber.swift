import DepotLinux
import DepotProtocol
import TestSupport

/// A client that watches a query and goes on where it was after a lost connection.
struct ProofSubscriber {
  private let session: ProofSession
  private let query: CellQuery
  private let name: String
  private var view = SubscriberView()

  init(_ session: ProofSession, _ query: CellQuery) {
    self.session = session
    self.query = query
    name = session.newName()
  }

  /// Watches until all sessions have ended, and then until it was told of everything.
  ///
  /// - Parameter isQuiet: Whether nobody writes any more.
  /// - Throws: ``ProofSession/GivenUp`` if it is over before that.
  mutating func run(until isQuiet: () -> Bool) throws {
    session.recorder.note("watch", name, #","query":\#(query.json)"#)
    while true {
      do {
        try watch(until: isQuiet)
        return session.recorder.note("finished", name)
      } catch is ProofSession.GivenUp {
        throw ProofSession.GivenUp()
      } catch {
        session.disconnect()
        try note(#"{"kind":"disconnected"}"#)
      }
    }
  }

  private mutating func watch(until isQuiet: () -> Bool) throws {
    let connection = try session.connected()
    let since = view.since.map { #","since":"\#($0)""# } ?? ""
    try connection.call(1, "watch", #"{"fetch":\#(query.arguments)\#(since)}"#, #","credit":4"#)
    var hasAsked = false
    while true {
      if !hasAsked, isQuiet() {
        hasAsked = true
        try connection.call(2, "barrier")
      }
      guard let frame = try connection.receiveIfAny(within: .milliseconds(20)) else { continue }
      switch frame["id"]?.int64 {
      case 1:
        guard frame["next"] != nil else {
          throw DepotError(.disconnected, "The watch ended: \(frame.text)")
        }
        try note(frame.text)
        try connection.send(#"{"id":1,"more":1}"#)
      case 2: return
      default:
        if frame["ping"] != nil {
          try connection.send(#"{"pong":\#(frame["ping"]?.text ?? "0")}"#)
        }
      }
    }
  }

  private mutating func note(_ frame: String) throws {
    session.recorder.note("frame", name, #","frame":\#(frame)"#)
    // What can't be applied is found by the checker.
    try? view.apply(JSONValue(parsing: frame.utf8))
  }
}
