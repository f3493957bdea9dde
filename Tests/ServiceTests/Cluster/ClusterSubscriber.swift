import DepotLinux
import DepotProtocol
import TestSupport

/// A client with a live query at one service, which goes on where it was after a lost connection.
struct ClusterSubscriber {
  private let service: ClusterService
  private var view = SubscriberView()
  /// Frames that it mustn't have been told, or rows that it hasn't got in the end.
  private(set) var complaints: [String] = []

  /// The rows that all writers change, with their counters, the greatest first; there are never many.
  private static let query = """
    {"entity":"Item","where":"name BEGINSWITH 'co'","select":["a","b"],\
    "sort":[{"attribute":"a","descending":true}]}
    """

  init(_ service: ClusterService) { self.service = service }

  /// Watches until `end` tells the last transaction, and then until it was told of everything; an empty text
  /// ends it at once.
  mutating func run(until end: @Sendable () -> String?) throws {
    var limit: ContinuousClock.Instant?
    while complaints.isEmpty {
      if let end = end() {
        if end.isEmpty { return }
        limit = limit ?? ContinuousClock.now + patience
      }
      if let limit, ContinuousClock.now > limit {
        complaints.append("\(service.name) doesn't tell its subscriber of everything")
      }
      do {
        if try watch(until: end) { return }
      } catch let error as SubscriberView.Broken {
        complaints.append("\(service.name): \(error.why)")
      } catch {
        // Its service is killed now and then.
        try view.apply(.object(["kind": .string("disconnected")]))
        Process.sleep(milliseconds: 5)
      }
    }
  }

  /// Returns whether it was told of everything.
  private mutating func watch(until end: () -> String?) throws -> Bool {
    let connection = try LineConnection(service.socket)
    let since = view.since.map { #","since":"\#($0)""# } ?? ""
    let watch = try connection.begin("watch", #"{"fetch":\#(Self.query)\#(since)}"#)
    var barrier: Int64?
    while true {
      if barrier == nil, let end = end() {
        guard !end.isEmpty else { return true }
        if try ClusterCheck.head(of: service) == end { barrier = try connection.begin("barrier") }
      }
      guard let frame = try connection.receive(within: .milliseconds(20)) else { continue }
      switch frame["id"]?.int64 {
      case watch where frame["next"] != nil: try view.apply(frame)
      case watch: throw TestFailure("The watch ended: \(frame.text)")
      case barrier:
        try check()
        return true
      default: break
      }
    }
  }

  private mutating func check() throws {
    let answer = try LineConnection(service.socket).demand("fetch", Self.query)
    // The versions of rows whose other properties change aren't told.
    func values(_ row: ObservedRow) -> [Int64] { [row.id, row.bin, row.value] }
    let rows = answer.rows.compactMap { $0.array.flatMap(ObservedRow.init) }.map(values)
    let told = view.rows.map(values)
    guard rows != told else { return }
    let place = zip(rows, told).enumerated().first { $1.0 != $1.1 }
    complaints.append(
      """
      \(service.name) has \(rows.count) rows, its subscriber \(told.count); \
      \(place.map { "at \($0.offset) \($0.element)" } ?? "none differs")
      """
    )
  }
}
