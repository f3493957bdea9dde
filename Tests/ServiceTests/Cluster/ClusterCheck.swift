import DepotLinux
import DepotProtocol
import Foundation
import TestSupport
import Testing

/// The comparison of what clients of several services were told with what the store has in the end.
struct ClusterCheck {
  let services: [ClusterService]
  let ledger: Ledger
  /// The transactions of the store, as its history tells them.
  private(set) var history: [(token: String, author: String)] = []

  /// Reads the history after a moment.
  init(_ services: [ClusterService], _ ledger: Ledger, since token: String) throws {
    self.services = services
    self.ledger = ledger
    let answer = try LineConnection(services[0].socket)
      .demand("history", #"{"since":"\#(token)","values":false}"#)
    for row in answer.rows {
      guard let token = row["token"]?.string else { continue }
      if token != history.last?.token { history.append((token, row["author"]?.string ?? "")) }
    }
  }

  /// Records an issue for each acknowledged write that isn't there exactly once, and for each other one.
  func checkLedger() {
    #expect(ledger.complaints.isEmpty, "\(ledger.complaints.prefix(5))")
    var acknowledged: [String: Ledger.Entry] = [:]
    for entry in ledger.entries where entry.token != nil { acknowledged[entry.key] = entry }
    let sequences = history.compactMap { Ledger.sequence(of: $0.token) }
    #expect(zip(sequences, sequences.dropFirst()).allSatisfy { $0 < $1 }, "tokens out of order")
    var found: Set<String> = []
    var wrong: [String] = []
    for (token, author) in history {
      if !found.insert(author).inserted { wrong.append("\(author) is there twice") }
      guard let entry = acknowledged[author] else {
        wrong.append("\(author) at \(token) is there, and nobody was told so")
        continue
      }
      if entry.token != token {
        wrong.append("\(author) is at \(token), and was told \(entry.token ?? "")")
      }
    }
    for key in acknowledged.keys where !found.contains(key) {
      wrong.append("\(key) was acknowledged and is lost")
    }
    #expect(wrong.isEmpty, "\(wrong.count): \(wrong.prefix(8))")
  }

  /// Records an issue if a watcher was told anything else than the history.
  func check(_ watcher: ClusterWatcher) {
    #expect(watcher.complaints.isEmpty, "\(watcher.complaints.prefix(3))")
    let expected = history.map(\.token)
    guard watcher.tokens != expected else { return }
    let (missing, extra) = (
      Set(expected).subtracting(watcher.tokens), Set(watcher.tokens).subtracting(expected)
    )
    Issue.record(
      """
      the watcher at \(watcher.name) was told \(watcher.tokens.count) transactions of \(expected.count), \
      not \(missing.sorted().prefix(3)), and \(extra.sorted().prefix(3)), which aren't there
      """
    )
  }

  /// Waits until all services have the last transaction, and records an issue if they differ.
  ///
  /// - Returns: The content of the first.
  func checkContents() throws -> Content {
    let head = try Self.head(of: services[0])
    for service in services {
      try expectSoon("\(service.name) stays behind") { try Self.head(of: service) == head }
    }
    let contents = try services.map { try Content(of: $0) }
    for (service, content) in zip(services, contents) {
      #expect(content == contents[0], "\(service.name) has another content")
    }
    return contents[0]
  }

  /// The last token of a service's history.
  static func head(of service: ClusterService) throws -> String {
    let status = try LineConnection(service.socket).demand("history.status")
    return status.result?["head"]?.string ?? ""
  }

  /// The content of a store.
  struct Content: Equatable {
    var files: [String: Data]
    /// The versions of all rows, in the order of their identifiers.
    var versions: [JSONValue]

    init(of service: ClusterService) throws {
      files = try service.export()
      let connection = try LineConnection(service.socket)
      versions = try ["Item", "Box"].flatMap { entity in
        try connection.demand("fetch", #"{"entity":"\#(entity)","select":[]}"#).rows
          .sorted { ($0.array?.first?.int64 ?? 0) < ($1.array?.first?.int64 ?? 0) }
          .map { $0.array?.last ?? .null }
      }
    }
  }

  /// Makes all acknowledged writes again, in the order of their tokens, in a store in a file.
  ///
  /// - Returns: What that store has then.
  func replay() throws -> Content {
    let service = try ClusterService("file", on: [])
    let connection = try LineConnection(service.socket)
    try connection.demand("schema.define", #"{"schema":\#(ClusterWriter.schema)}"#)
    var places: [Row: Int64] = [:]
    for entry in ledger.entries.sorted(by: { $0.sequence < $1.sequence })
    where entry.token != nil {
      let arguments = entry.write.arguments { places[$0] ?? $0.identifier }
      let answer = try connection.call(entry.write.call, arguments)
      guard let result = answer.result else {
        Issue.record("\(entry.key) is refused in a file: \(answer.error?.text ?? "")")
        break
      }
      for name in ["inserted", "updated", "deleted", "skipped"] {
        #expect(result[name] == entry.result[name], "\(entry.key): \(result.text)")
      }
      let made = zip(entry.write.rows(of: entry.result), entry.write.rows(of: result))
      for (old, new) in made { places[old] = new.identifier }
    }
    return try Content(of: service)
  }
}
