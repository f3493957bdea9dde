import DepotClient
import DepotProtocol
import Foundation

/// Compares the history that a store tells of its notes with what clients did and were told.
///
/// Each transaction must fit to the moment before it, the last moment to what is there, every acknowledged
/// write must be in the history once with what its policy decides, nothing may be undone twice, and watches
/// must have told all of it.
struct NoteChecker {
  private let transactions: [HistoryTransaction]
  private var moments: [Int64: NoteState] = [:]
  private var violations: [Violation] = []
  /// What was seen, so that a run in which nothing happens isn't taken for a proof.
  private(set) var counts = Counts()

  struct Counts {
    var merged = 0
    var storeTrumps = 0
    var linked = 0
    var undone = 0
    var redone = 0
    var counted = 0
    var watched = 0
  }

  /// A call as its client saw it.
  private struct Operation {
    var name: String
    var session: String
    var call: String
    var arguments: JSONValue
  }

  private init(_ transactions: [HistoryTransaction]) {
    self.transactions = transactions
  }

  /// Looks for contradictions in the recordings of a folder.
  ///
  /// - Parameters:
  ///   - folder: Where the recordings are.
  ///   - initial: What there was before.
  ///   - transactions: The history from then on.
  ///   - final: What there was in the end.
  /// - Returns: The contradictions, and what was compared.
  /// - Throws: What a recording that can't be read is an error of.
  static func check(
    _ folder: String,
    initial: NoteState,
    _ transactions: [HistoryTransaction],
    final: NoteState
  ) throws -> (violations: [Violation], counts: Counts) {
    var checker = NoteChecker(transactions)
    checker.replay(initial, final)
    if checker.violations.isEmpty {
      let names = try FileManager.default.contentsOfDirectory(atPath: folder)
      for name in names where name.hasSuffix(".ndjson") {
        try checker.read(folder + "/" + name, session: String(name.dropLast(7)))
      }
    }
    return (checker.violations, checker.counts)
  }

  private mutating func report(_ kind: Violation.Kind, _ text: String) {
    violations.append(Violation(kind, text))
  }

  // MARK: The history by itself

  private mutating func replay(_ initial: NoteState, _ final: NoteState) {
    var state = initial
    var undone: Set<String> = []
    var originals: [String: [String]] = [:]
    var last: Int64 = 0
    for transaction in transactions {
      let token = transaction.token.sequence
      if token <= last { report(.badToken, "the history has \(token) after \(last)") }
      last = token
      do throws(NoteState.Broken) {
        try state.apply(transaction)
      } catch {
        return report(.notSerialisable, "transaction \(token): \(error.why)")
      }
      moments[token] = state
      for origin in (transaction.origin ?? "").split(separator: " ") {
        let parts = origin.split(separator: ":", maxSplits: 1).map(String.init)
        guard parts.count == 2 else { continue }
        let tokens = parts[1].split(separator: ",").map(String.init)
        for token in tokens {
          switch parts[0] {
          case "undo":
            counts.undone += 1
            originals[transaction.token.description, default: []].append(token)
            if !undone.insert(token).inserted { report(.appliedTwice, "\(token) was undone twice") }
          case "redo":
            counts.redone += 1
            for original in originals.removeValue(forKey: token) ?? [] { undone.remove(original) }
          default: break
          }
        }
      }
    }
    moments[0] = initial
    if state != final { report(.lostWrite, "the history ends with \(state) instead of \(final)") }
  }

  // MARK: What clients were told

  private mutating func read(_ path: String, session: String) throws {
    let text = try String(contentsOfFile: path, encoding: .utf8)
    var open: [String: Operation] = [:]
    var watched: (from: Int64, tokens: [Int64])?
    for line in text.split(separator: "\n") {
      guard let event = try? JSONValue(parsing: line.utf8), let name = event["name"]?.string else {
        continue
      }
      switch event["event"]?.string {
      case "note-call":
        guard let call = event["call"]?.string, let arguments = event["args"] else { break }
        open[name] = Operation(name: name, session: session, call: call, arguments: arguments)
      case "note-ok":
        guard let operation = open.removeValue(forKey: name) else { break }
        check(operation, event["ok"] ?? .null)
      case "count": checkCount(event, session)
      case "history-begin":
        watched = (event["token"]?.int64 ?? 0, [])
      case "history": watched?.tokens.append(event["token"]?.int64 ?? 0)
      case "history-current": checkWatch(watched, until: event["token"]?.int64 ?? 0, session)
      default: break
      }
    }
  }

  private mutating func check(_ operation: Operation, _ result: JSONValue) {
    guard let text = result["token"]?.string, let token = try? HistoryToken(text) else { return }
    // What was killed and repeated may have been stored in an earlier round.
    guard let first = transactions.first, token >= first.token else { return }
    guard let index = transactions.firstIndex(where: { $0.token == token }) else {
      return report(.lostWrite, "\(operation.name) is \(token), which the history doesn't have")
    }
    let transaction = transactions[index]
    if transaction.author != operation.session {
      report(.badToken, "\(operation.name) is \(token), which \(transaction.author ?? "-") made")
    }
    if operation.call == "undo" || operation.call == "redo" {
      for undone in result["undone"]?.array?.compactMap(\.string) ?? []
      where transaction.origin?.contains("\(operation.call):") != true
        || transaction.origin?.contains(undone) != true
      {
        report(.lostWrite, "\(operation.name) is told to have undone \(undone)")
      }
      return
    }
    let before = index == 0 ? moments[0] : moments[transactions[index - 1].token.sequence]
    guard let before, let after = moments[token.sequence] else { return }
    for part in operation.arguments["update"]?.array ?? [] where part["base"] != nil {
      checkMerge(operation, part, before, after)
    }
    if !transaction.changes.allSatisfy({ $0.kind != .links }) { counts.linked += 1 }
  }

  /// Compares what a save made of notes with what its policy says.
  private mutating func checkMerge(
    _ operation: Operation,
    _ part: JSONValue,
    _ before: NoteState,
    _ after: NoteState
  ) {
    let rows = part["rows"]?.array ?? []
    let policy = operation.arguments["policy"]?.string ?? "error"
    for (row, base) in zip(rows, part["base", "rows"]?.array ?? []) {
      let fields = row.array?.compactMap(\.int64) ?? []
      let known = base.array?.compactMap(\.int64) ?? []
      guard fields.count == 4, known.count == 2, let old = before.notes[fields[0]],
        let new = after.notes[fields[0]]
      else { continue }
      counts.merged += 1
      let hasConflict = ["a", "b"].enumerated().contains { old.values[$1] != known[$0] }
      if hasConflict, policy == "mergeByPropertyStoreTrump" { counts.storeTrumps += 1 }
      for (index, name) in ["a", "b"].enumerated() {
        let (mine, theirs) = (fields[index + 2], old.values[name] ?? -1)
        // What a save names is what its client changes.
        let isTheirs = theirs != known[index]
        let expected: Int64? =
          switch policy {
          case _ where !hasConflict: mine
          case "mergeByPropertyStoreTrump": isTheirs ? theirs : mine
          case "mergeByPropertyObjectTrump", "overwrite": mine
          case "rollback": theirs
          default: nil
          }
        guard let expected else {
          report(
            .lostUpdate,
            "\(operation.name) changed note \(fields[0]) as if it had been as read"
          )
          continue
        }
        if new.values[name] != expected {
          report(
            .lostUpdate,
            "\(operation.name) (\(policy)) made \(name) of note \(fields[0]) "
              + "\(new.values[name] ?? -1) of base \(known[index]), store \(theirs), client \(mine)"
          )
        }
      }
    }
  }

  // MARK: Watches

  private func moment(at token: Int64) -> NoteState? {
    let before = transactions.last { $0.token.sequence <= token }
    return moments[before?.token.sequence ?? 0]
  }

  private mutating func checkCount(_ event: JSONValue, _ session: String) {
    guard let token = event["token"]?.int64, let count = event["count"]?.int64 else { return }
    counts.counted += 1
    guard let state = moment(at: token), state.count != Int(count) else { return }
    report(
      .diverged,
      "\(session) was told a count of \(count) at \(token) instead of \(state.count)"
    )
  }

  private mutating func checkWatch(
    _ watched: (from: Int64, tokens: [Int64])?,
    until token: Int64,
    _ session: String
  ) {
    guard let watched else { return }
    let expected = transactions.filter { transaction in
      watched.from < transaction.token.sequence && transaction.token.sequence <= token
        && transaction.changes.contains { $0.entity == "Note" }
    }.map(\.token.sequence)
    counts.watched += expected.count
    guard watched.tokens != expected else { return }
    let difference = Set(watched.tokens).symmetricDifference(expected).sorted().prefix(5)
    report(.diverged, "\(session) was told another history up to \(token): \(Array(difference))")
  }
}
