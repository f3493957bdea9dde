import DepotLinux
import DepotProtocol
import Foundation
import TestSupport

/// What one thread of a client did, written down line by line, so that nothing of it is lost when the
/// process is killed.
final class Recorder {
  private let file: FileHandle

  init(_ path: String) throws {
    _ = FileManager.default.createFile(atPath: path, contents: nil)
    file = try FileHandle(forWritingTo: URL(filePath: path))
  }

  /// Writes an event with its time.
  ///
  /// - Parameters:
  ///   - event: What happened.
  ///   - name: To what.
  ///   - members: More about it, the members of an object with a comma before each.
  func note(_ event: String, _ name: String, _ members: String = "") {
    let line = #"{"event":"\#(event)","name":"\#(name)","at":\#(Self.now)\#(members)}"#
    file.write(Data((line + "\n").utf8))
  }

  /// The time in nanoseconds, the same in all processes.
  static var now: Int64 { Int64(DispatchTime.now().uptimeNanoseconds) }
}

/// The recordings of a folder, put together to a history.
struct RecordingReader {
  private(set) var history = History()
  /// The writes that got no answer, whose clients may have been killed.
  private(set) var pending: [String: PendingWrite] = [:]
  /// How often a write was sent again because nobody knew what became of it.
  private(set) var repetitionCount = 0
  /// How many calls were ended by a deadline or cancelled.
  private(set) var hurriedCount = 0
  private var open: [String: Transaction] = [:]
  private var calls: [String: (call: String, arguments: JSONValue)] = [:]
  private var pins: [String: Transaction] = [:]

  /// A write that may be sent again.
  struct PendingWrite {
    var call: String
    var arguments: JSONValue
  }

  init(folder: String) throws {
    let names = try FileManager.default.contentsOfDirectory(atPath: folder).sorted()
    // What settles a write of a killed client is read after what that client wrote.
    let ordered = names.filter { !$0.hasPrefix("settle") } + names.filter { $0.hasPrefix("settle") }
    for name in ordered where name.hasSuffix(".ndjson") {
      try read(folder + "/" + name, session: String(name.dropLast(7)))
    }
    for (name, transaction) in open where !transaction.writes.isEmpty {
      history.transactions.append(transaction)
      pending[name] = calls[name].map { PendingWrite(call: $0.call, arguments: $0.arguments) }
    }
    history.transactions.sort { $0.invoked < $1.invoked }
    let hasTokens = history.transactions.contains { $0.token != nil }
    for index in history.transactions.indices
    where history.transactions[index].name.hasPrefix("initial") {
      history.transactions[index].token = hasTokens ? 0 : nil
    }
  }

  private mutating func read(_ path: String, session: String) throws {
    let text = try String(contentsOfFile: path, encoding: .utf8)
    var subscription: Subscription?
    for line in text.split(separator: "\n") {
      // The last line of a killed client may be a part of one.
      guard let event = try? JSONValue(parsing: line.utf8), let name = event["name"]?.string,
        let at = event["at"]?.int64
      else { continue }
      switch event["event"]?.string {
      case "watch":
        subscription = Subscription(name: name, query: CellQuery(event["query"]))
      case "frame": event["frame"].map { subscription?.frames.append($0) }
      case "finished": subscription?.isFinished = true
      case "pin":
        var transaction = Transaction(
          name: name,
          session: session,
          invoked: event["from"]?.int64 ?? at
        )
        transaction.snapshot = event["token"]?.string.flatMap(SubscriberView.number)
        transaction.completed = at
        pins[name] = transaction
      case "lost" where open[name]?.writes.isEmpty == false: repetitionCount += 1
      case "call": begin(event, name, at, session)
      case "ok": end(event, name, at)
      case "err":
        if ["deadline.passed", "cancelled.by_client"].contains(event["err", "code"]?.string) {
          hurriedCount += 1
        }
        open[name]?.outcome = .refused
        open[name]?.completed = at
        open.removeValue(forKey: name).map { history.transactions.append($0) }
      case "initial", "final": look(event, name, at)
      default: break
      }
    }
    subscription.map { history.subscriptions.append($0) }
    history.transactions += pins.values.filter { !$0.reads.isEmpty }
    pins = [:]
  }

  private mutating func look(_ event: JSONValue, _ name: String, _ at: Int64) {
    let rows = event["rows"]?.array?.compactMap { $0.array.flatMap(ObservedRow.init) } ?? []
    if event["event"]?.string == "final" {
      history.final = rows
    } else {
      var transaction = Transaction(name: name, invoked: at, completed: at)
      transaction.writes = rows.map {
        Write(kind: .insert, row: $0.id, value: $0.value, bin: $0.bin, version: $0.version)
      }
      history.transactions.append(transaction)
    }
  }

  private mutating func begin(
    _ event: JSONValue,
    _ name: String,
    _ at: Int64,
    _ session: String
  ) {
    if open[name] != nil { repetitionCount += 1 }
    guard open[name] == nil, let call = event["call"]?.string, let arguments = event["args"] else {
      return
    }
    var transaction = Transaction(name: name, session: session, invoked: at, outcome: .unknown)
    transaction.writes = Self.writes(call, arguments)
    if arguments["policy"] == nil || arguments["policy"]?.string == "error" {
      for part in arguments["update"]?.array ?? [] where part["columns", "1"]?.string == "$version"
      {
        transaction.reads += (part["rows"]?.array ?? []).compactMap { row in
          guard let id = row.array?.first?.int64, let version = row.array?.dropFirst().first?.int64
          else { return nil }
          return Transaction.Read(row: id, version: version)
        }
      }
    }
    for part in arguments["read"]?.array ?? [] {
      for (id, version) in zip(part["ids"]?.array ?? [], part["versions"]?.array ?? []) {
        transaction.reads.append(.init(row: id.int64 ?? 0, version: version.int64 ?? 0))
      }
    }
    open[name] = transaction
    calls[name] = (call, arguments)
  }

  private mutating func end(_ event: JSONValue, _ name: String, _ at: Int64) {
    guard var transaction = open.removeValue(forKey: name), let call = calls[name] else { return }
    transaction.outcome = .committed
    transaction.completed = at
    let result = event["ok"] ?? .null
    transaction.token = result["token"]?.string.flatMap(SubscriberView.number)
    let rows = (event["rows"] ?? result["rows"])?.array ?? []
    let observed = rows.compactMap { $0.array.flatMap(ObservedRow.init) }
    switch call.call {
    case "get", "fetch":
      transaction.reads = observed.map {
        Transaction.Read(row: $0.id, version: $0.version, value: $0.value)
      }
      transaction.missing = Set(result["missing"]?.array?.compactMap(\.int64) ?? [])
      let query = CellQuery(event["query"])
      transaction.isScan = call.call == "fetch" && query == CellQuery()
      if let pin = event["pin"]?.string {
        pins[pin]?.reads += transaction.reads
        pins[pin]?.missing.formUnion(transaction.missing)
        pins[pin]?.outcome = .committed
        if transaction.isScan { pins[pin]?.isScan = true }
        if call.call == "fetch" {
          pins[pin]?.answers.append(.init(query: query, rows: observed))
        }
        return
      }
    default: Self.complete(&transaction, with: result)
    }
    history.transactions.append(transaction)
  }

  /// Returns what a call is to change.
  private static func writes(_ call: String, _ arguments: JSONValue) -> [Write] {
    func rows(_ part: JSONValue, _ kind: Write.Kind) -> [Write] {
      let columns = part["columns"]?.array?.compactMap(\.string) ?? []
      return (part["rows"]?.array ?? []).compactMap(\.array).map { row in
        let fields = Dictionary(zip(columns, row)) { $1 }
        return Write(
          kind: kind,
          row: kind == .update ? fields["$id"]?.int64 : nil,
          value: fields["value"]?.int64 ?? 0,
          bin: fields["bin"]?.int64
        )
      }
    }
    func deletions(_ part: JSONValue) -> [Write] {
      (part["ids"]?.array ?? []).map { Write(kind: .delete, row: $0.int64) }
    }
    switch call {
    case "insert": return rows(arguments, .insert)
    case "update":
      return (arguments["ids"]?.array ?? []).map {
        Write(
          kind: .update,
          row: $0.int64,
          value: arguments["set", "value"]?.int64 ?? 0,
          bin: arguments["set", "bin"]?.int64
        )
      }
    case "delete": return deletions(arguments)
    case "save":
      return (arguments["insert"]?.array ?? []).flatMap { rows($0, .insert) }
        + (arguments["update"]?.array ?? []).flatMap { rows($0, .update) }
        + (arguments["delete"]?.array ?? []).flatMap(deletions)
    default: return []
    }
  }

  /// Adds what the service said about a write.
  private static func complete(_ transaction: inout Transaction, with result: JSONValue) {
    var inserted: [Int64] = result["ids"]?.array?.compactMap(\.int64) ?? []
    if let named = result["ids"]?.object {
      // The temporary identifiers are "#0", "#1", and so on.
      inserted = named.sorted { $0.key < $1.key }.compactMap(\.value.int64)
    }
    var next = inserted.makeIterator()
    for index in transaction.writes.indices where transaction.writes[index].kind == .insert {
      transaction.writes[index].row = next.next()
    }
    // What the policy dropped wasn't written.
    for conflict in result["conflicts"]?.array ?? [] {
      guard let decision = conflict["decision"]?.string, ["store", "dropped"].contains(decision)
      else { continue }
      transaction.writes.removeAll { $0.row == conflict["id"]?.int64 }
    }
    for pair in result["versions", "Cell"]?.array ?? [] {
      guard let row = pair.array?.first?.int64 else { continue }
      for index in transaction.writes.indices where transaction.writes[index].row == row {
        transaction.writes[index].version = pair.array?.last?.int64
      }
    }
  }
}

extension CellQuery {
  init(_ value: JSONValue?) {
    bin = value?["bin"]?.int64
    limit = value?["limit"]?.int64.map { Int($0) }
  }

  /// The query as an object.
  var json: String {
    let members = [bin.map { #""bin":\#($0)"# }, limit.map { #""limit":\#($0)"# }]
    return "{" + members.compactMap(\.self).joined(separator: ",") + "}"
  }

  /// The arguments of a fetch.
  var arguments: String {
    var text = #"{"entity":"Cell","select":["bin","value"]"#
    if let bin { text += #","where":"bin == \#(bin)""# }
    guard let limit else { return text + #","sort":[{"attribute":"$id"}]}"# }
    return text + #","sort":[{"attribute":"value","descending":true}],"limit":\#(limit)}"#
  }
}
