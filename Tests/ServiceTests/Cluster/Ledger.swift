import DepotProtocol
import Synchronization

/// A row of an entity.
struct Row: Hashable, Sendable {
  var entity: String
  var identifier: Int64
}

/// A write, in whose arguments rows stand between `«` and `»`, so that others can take their place.
struct MarkedWrite: Sendable {
  var call: String
  var arguments: String

  /// Marks a row.
  static func mark(_ row: Row) -> String { "«\(row.entity)/\(row.identifier)»" }

  /// The arguments, with identifiers translated.
  func arguments(_ translate: (Row) -> Int64 = \.identifier) -> String {
    let parts = arguments.split(separator: "«", omittingEmptySubsequences: false)
    return parts.dropFirst().reduce(into: String(parts[0])) { result, part in
      let halves = part.split(separator: "»", maxSplits: 1, omittingEmptySubsequences: false)
      let fields = halves[0].split(separator: "/")
      let row = Row(entity: String(fields[0]), identifier: Int64(fields[1]) ?? 0)
      result += "\(translate(row))" + halves[1]
    }
  }

  /// The rows that an insertion has made or met, by its result.
  func rows(of result: JSONValue) -> [Row] {
    guard call == "insert", let entity = arguments.split(separator: "\"").dropFirst(3).first else {
      return []
    }
    let identifiers = result["ids"]?.array?.compactMap(\.int64) ?? []
    return identifiers.map { Row(entity: String(entity), identifier: $0) }
  }
}

/// All that was acknowledged to writers, and what else they met.
final class Ledger: Sendable {
  struct Entry: Sendable {
    var key: String
    var write: MarkedWrite
    var result: JSONValue

    var token: String? { result["token"]?.string }
    /// The number of the token, by which transactions are in order.
    var sequence: Int64 { token.flatMap(Ledger.sequence) ?? 0 }
  }

  private struct Content {
    var entries: [Entry] = []
    var refusals: [String: Int] = [:]
    var repetitions = 0
    var complaints: [String] = []
    var longestPause = Duration.zero
  }

  private let content = Mutex(Content())

  var entries: [Entry] { content.withLock { $0.entries } }
  /// How often each error was met that changed nothing.
  var refusals: [String: Int] { content.withLock { $0.refusals } }
  /// How many calls were made again because nobody knew what became of them.
  var repetitions: Int { content.withLock { $0.repetitions } }
  /// What was wrong at once.
  var complaints: [String] { content.withLock { $0.complaints } }
  /// How long an answer took at most, with all attempts.
  var longestPause: Duration { content.withLock { $0.longestPause } }

  func acknowledge(_ entry: Entry, after pause: Duration) {
    content.withLock {
      $0.entries.append(entry)
      $0.longestPause = max($0.longestPause, pause)
    }
  }

  func refuse(_ code: String) { content.withLock { $0.refusals[code, default: 0] += 1 } }

  func `repeat`() { content.withLock { $0.repetitions += 1 } }

  func complain(_ text: String) { content.withLock { $0.complaints.append(text) } }

  static func sequence(of token: String) -> Int64? {
    token.split(separator: "-").last.flatMap { Int64($0) }
  }
}
