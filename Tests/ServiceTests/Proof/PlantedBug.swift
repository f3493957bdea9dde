import DepotProtocol

/// A way in which a service could be broken.
enum PlantedBug: String, CaseIterable, Sendable {
  /// A row of a save isn't written though the save is acknowledged.
  case lostWrite
  /// An insert is made once more.
  case duplicatedInsert
  /// A write is made, and its client told that it wasn't.
  case falseRefusal
  /// An old answer is given once more.
  case staleScan
  /// An answer is made of the rows of two moments.
  case tornScan
  /// A row has a value that nobody wrote.
  case forgedValue
  /// A row has a version that it had before.
  case olderVersion
  /// What was read before a write isn't compared with what is there.
  case ignoredBase
  /// What was only read isn't compared with what is there.
  case ignoredReads
  /// A pinned read is one of now.
  case ignoredPin
  /// A write has the token of another.
  case repeatedToken
  /// A subscriber isn't told of a change.
  case droppedChange
  /// A subscriber is told of a change twice.
  case repeatedChange
  /// A subscriber is told of changes in the wrong order.
  case swappedChanges

  /// What the service has to be able to do so that it can be broken like this.
  var feature: String? {
    switch self {
    case .ignoredBase, .ignoredReads: "versions"
    case .ignoredPin: "pin"
    case .repeatedToken, .droppedChange, .repeatedChange, .swappedChanges: "watch"
    default: nil
    }
  }

  /// The checks that must find it, at least one of them.
  var findings: Set<Violation.Kind> {
    switch self {
    case .lostWrite: [.lostWrite]
    case .duplicatedInsert: [.appliedTwice]
    case .falseRefusal: [.abortedRead]
    case .staleScan: [.staleRead, .notSerialisable]
    case .tornScan: [.notSerialisable, .staleRead]
    case .forgedValue: [.unwrittenValue]
    case .olderVersion: [.conflictingVersions]
    case .ignoredBase: [.lostUpdate]
    case .ignoredReads: [.writeSkew, .notSerialisable, .staleRead]
    case .ignoredPin: [.wrongSnapshot, .staleRead]
    case .repeatedToken: [.badToken]
    case .droppedChange: [.diverged, .badFrame, .notConverged]
    case .repeatedChange: [.tokenWentBack, .badFrame]
    case .swappedChanges: [.tokenWentBack, .badFrame]
    }
  }
}

/// The making of one bug out of the frames of a service that has none.
struct Planting: Sendable {
  let bug: PlantedBug
  private(set) var count = 0
  private var chances = 0
  private var calls: [Call: JSONValue] = [:]
  private var frames: [Call: [JSONValue]] = [:]
  private var oldScan: [JSONValue] = []
  private var scans = 0
  private var held: [Call: JSONValue] = [:]
  private var oldToken: JSONValue?

  private struct Call: Hashable {
    var connection: Int
    var id: Int64
  }

  /// What to do with what a client sent.
  struct Handling {
    var forward: [JSONValue] = []
    /// Calls to make besides.
    var aside: [JSONValue] = []
    var reply: [JSONValue] = []
  }

  init(_ bug: PlantedBug) { self.bug = bug }

  /// Whether to do it now: at every so many chances.
  private mutating func isDue(_ every: Int) -> Bool {
    chances += 1
    guard chances % every == 0 else { return false }
    count += 1
    return true
  }

  mutating func request(_ frame: JSONValue, _ connection: Int) -> Handling {
    guard let id = frame["id"]?.int64, let name = frame["call"]?.string else {
      return Handling(forward: [frame])
    }
    let call = Call(connection: connection, id: id)
    calls[call] = frame
    switch (bug, name) {
    case (.lostWrite, "save"):
      let rows = frame["args", "update", "0", "rows"]?.array ?? []
      guard rows.count > 1, isDue(5) else { break }
      return Handling(forward: [
        frame.changing(["args", "update", "0", "rows"]) { .array($0.array?.dropLast() ?? []) }
          .changing(["args", "update", "0", "base", "rows"]) { .array($0.array?.dropLast() ?? []) }
      ])
    case (.duplicatedInsert, "insert"):
      guard isDue(2) else { break }
      return Handling(
        forward: [frame],
        aside: [frame.changing(["key"]) { .string(($0.string ?? "") + "-again") }]
      )
    case (.staleScan, "fetch"):
      guard isScan(frame), scans > 3, isDue(3) else { break }
      return Handling(reply: oldScan.map { $0.changing(["id"]) { _ in .int64(id) } })
    case (.tornScan, "fetch"):
      // All frames are to come before the first goes on.
      guard isScan(frame) else { break }
      return Handling(forward: [frame.without("credit")])
    case (.ignoredBase, "save"):
      guard frame["args", "update", "0", "columns", "1"]?.string == "$version" else { break }
      count += 1
      return Handling(forward: [frame.withoutBase])
    case (.ignoredReads, "save"):
      guard frame["args", "read"] != nil else { break }
      count += 1
      return Handling(forward: [frame.changing(["args"]) { $0.without("read") }])
    case (.ignoredPin, _):
      guard frame["pin"] != nil else { break }
      count += 1
      return Handling(forward: [frame.without("pin")])
    default: break
    }
    return Handling(forward: [frame])
  }

  private func isScan(_ frame: JSONValue) -> Bool {
    frame["call"]?.string == "fetch" && frame["args", "limit"] == nil && frame["pin"] == nil
      && frame["args", "where"] == nil
  }

  /// Returns what the client gets for a frame of the service.
  mutating func reply(_ frame: JSONValue, _ connection: Int) -> Handling {
    let frames = replacements(frame, connection)
    guard frames.isEmpty, bug == .droppedChange, let id = frame["id"]?.int64 else {
      return Handling(reply: frames)
    }
    // What the client doesn't get it can't allow again.
    return Handling(forward: [.object(["id": .int64(id), "more": .int64(1)])])
  }

  private mutating func replacements(_ frame: JSONValue, _ connection: Int) -> [JSONValue] {
    guard let id = frame["id"]?.int64 else { return [frame] }
    let call = Call(connection: connection, id: id)
    guard let request = calls[call] else { return [frame] }
    let isTerminal = frame["next"] == nil
    defer { if isTerminal { calls[call] = nil } }
    switch (bug, request["call"]?.string ?? "") {
    case (.falseRefusal, "save"), (.falseRefusal, "update"):
      guard frame["ok"] != nil, isDue(8) else { break }
      let error = #"{"code":"conflict.unique","message":"No.","effect":"none","retry":"no"}"#
      return [.object(["id": .int64(id), "err": (try? JSONValue(parsing: error.utf8)) ?? .null])]
    case (.staleScan, "fetch") where isScan(request), (.tornScan, "fetch") where isScan(request):
      frames[call, default: []].append(frame)
      guard isTerminal, let all = frames.removeValue(forKey: call) else {
        return bug == .staleScan ? [frame] : []
      }
      scans += 1
      if oldScan.isEmpty { oldScan = all }
      guard bug == .tornScan else { return [frame] }
      defer { oldScan = all }
      return scans > 3 && isDue(3) ? tear(all) : all
    case (.tornScan, "fetch"): return [frame]
    case (.forgedValue, "get"):
      guard frame["ok", "rows"]?.array?.isEmpty == false, isDue(8) else { break }
      return [frame.changing(["ok", "rows", "0", "3"]) { _ in .int64(-7) }]
    case (.olderVersion, "get"):
      guard let version = frame["ok", "rows", "0", "1"]?.int64, version > 1, isDue(8) else { break }
      return [frame.changing(["ok", "rows", "0", "1"]) { _ in .int64(version - 1) }]
    case (.repeatedToken, _):
      guard let token = frame["ok", "token"], request["key"] != nil else { break }
      defer { oldToken = token }
      guard let oldToken, isDue(8) else { break }
      return [frame.changing(["ok", "token"]) { _ in oldToken }]
    case (_, "watch"): return change(frame, call)
    default: break
    }
    return [frame]
  }

  /// Rows with even identifiers are those of the last scan.
  private func tear(_ frames: [JSONValue]) -> [JSONValue] {
    let rows = oldScan.flatMap { $0["next"]?.array ?? [] }
    let old = Dictionary(rows.map { ($0.array?.first?.int64 ?? 0, $0) }) { $1 }
    return frames.map { frame in
      guard frame["next"] != nil else { return frame }
      return frame.changing(["next"]) { next in
        .array(
          (next.array ?? []).map { row in
            let id = row.array?.first?.int64 ?? 0
            return id % 2 == 0 ? old[id] ?? row : row
          }
        )
      }
    }
  }

  private mutating func change(_ frame: JSONValue, _ call: Call) -> [JSONValue] {
    guard frame["kind"]?.string == "change" else { return [frame] }
    if let held = held.removeValue(forKey: call) { return [frame, held] }
    switch bug {
    case .droppedChange: return isDue(20) ? [] : [frame]
    case .repeatedChange: return isDue(20) ? [frame, frame] : [frame]
    case .swappedChanges:
      guard isDue(20) else { return [frame] }
      held[call] = frame
      return []
    default: return [frame]
    }
  }
}

extension JSONValue {
  /// Returns the value with what is at a path changed, if there is anything.
  func changing(_ path: [String], _ body: (JSONValue) -> JSONValue) -> JSONValue {
    guard let name = path.first else { return body(self) }
    let rest = Array(path.dropFirst())
    switch self {
    case .object(var members):
      members[name] = members[name]?.changing(rest, body)
      return .object(members)
    case .array(var elements):
      guard let index = Int(name), elements.indices.contains(index) else { return self }
      elements[index] = elements[index].changing(rest, body)
      return .array(elements)
    default: return self
    }
  }

  func without(_ name: String) -> JSONValue {
    guard case .object(var members) = self else { return self }
    members[name] = nil
    return .object(members)
  }

  /// A save that says nothing of what was read.
  fileprivate var withoutBase: JSONValue {
    changing(["args"]) { $0.without("read").without("policy") }
      .changing(["args", "update", "0"]) { $0.without("base") }
      .changing(["args", "update", "0", "columns"]) { columns in
        .array((columns.array ?? []).filter { $0 != .string("$version") })
      }
      .changing(["args", "update", "0", "rows"]) { rows in
        .array(
          (rows.array ?? []).map { row in
            var fields = row.array ?? []
            if fields.count > 1 { fields.remove(at: 1) }
            return .array(fields)
          }
        )
      }
  }
}
