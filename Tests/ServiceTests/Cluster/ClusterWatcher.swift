import DepotLinux
import DepotProtocol
import TestSupport

/// A client that watches the history at one service, and goes on where it was after a lost connection.
struct ClusterWatcher {
  private let service: ClusterService
  /// The tokens of the transactions that it was told of, in that order.
  private(set) var tokens: [String] = []
  /// Frames that it mustn't have been told.
  private(set) var complaints: [String] = []
  private var last: String
  var name: String { service.name }

  init(_ service: ClusterService, since token: String) {
    self.service = service
    last = token
  }

  /// Watches until `end` tells the last transaction, and that was told; an empty text ends it at once.
  mutating func run(until end: @Sendable () -> String?) throws {
    var limit: ContinuousClock.Instant?
    while complaints.isEmpty {
      if let end = end() {
        if end.isEmpty || last == end { return }
        limit = limit ?? ContinuousClock.now + patience
      }
      if let limit, ContinuousClock.now > limit {
        complaints.append("\(service.name) stays at \(last)")
      }
      do {
        try watch(until: end)
      } catch {
        Process.sleep(milliseconds: 5)
      }
    }
  }

  private mutating func watch(until end: () -> String?) throws {
    let connection = try LineConnection(service.socket)
    _ = try connection.begin(
      "watch",
      #"{"history":{"values":false},"since":"\#(last)","onExpired":"error"}"#
    )
    while true {
      guard let frame = try connection.receive(within: .milliseconds(100)) else {
        if end() != nil { return }
        continue
      }
      switch frame["kind"]?.string {
      case "live": break
      case "change":
        let told = (frame["next"]?.array ?? []).compactMap { $0["token"]?.string }
        for (index, token) in told.enumerated() {
          // A transaction may come in several parts, of which only the last of a frame has more.
          if token != tokens.last { tokens.append(token) }
          if frame["more"] == nil || index < told.count - 1 { last = token }
        }
      // This client was too slow for all of them; they are read from the history, as after a lost connection.
      case "gap" where frame["from"]?.string == last: return
      default:
        let code = frame["err"]?["code"]?.string ?? ""
        // Also one that was too slow in what was before, for which the service had no room any more.
        let isOver = code.hasPrefix("unavailable.") || code == "stream.expired"
        if isOver || frame["event"] != nil { return }
        complaints.append("\(service.name) after \(last): \(frame.text)")
        return
      }
    }
  }
}
