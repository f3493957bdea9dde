import DepotEngine
import DepotLinux
import DepotProtocol
import Foundation
import TestSupport
import Testing

@testable import DepotServer

/// Plays the server's thread for one store.
final class HostFixture {
  let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString).path
  let inbox: Inbox
  let opener: StoreOpener
  let host: StoreHost
  var outcomes: [WriteOutcome] = []

  init() throws {
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    inbox = Inbox(loop: try EventLoop())
    opener = StoreOpener(inbox: inbox)
    host = StoreHost(
      number: 7,
      name: "main",
      configuration: StoreConfiguration(path: folder + "/x.store"),
      entities: nil,
      inbox: inbox,
      opener: opener
    )
    try host.adopt(StoreOpener.open(host.configuration, number: 7, inbox: inbox))
  }

  deinit { try? FileManager.default.removeItem(atPath: folder) }

  /// Handles what other threads have, until something holds.
  func run(until isDone: () -> Bool) {
    let end = ContinuousClock.now + patience
    while !isDone(), ContinuousClock.now < end {
      for message in inbox.takeAll() {
        switch message {
        case .committed(7, let outcomes):
          self.outcomes += outcomes
          _ = host.renewSnapshot()
        case .readersClosed(7): host.didCloseReaders()
        case .storeClosed(7): host.didCloseStore()
        case .opened(let ticket, let outcome): opener.didOpen(ticket, outcome)
        default: Issue.record("\(message)")
        }
      }
      DepotLinux.Process.sleep(milliseconds: 1)
    }
    #expect(isDone())
  }

  /// Keeps a write for the end of the turn.
  func add(_ operation: DepotProtocol.Operation, token: UInt64) {
    host.writes.append(
      WriteRequest(
        token: token,
        operation: operation,
        control: CallControl(),
        reply: ReplyWriter(id: 1)
      )
    )
  }

  func suspend() {
    var isClosed = false
    host.suspend(DepotError(.migrating, "x")) { isClosed = true }
    run { isClosed }
  }

  /// How many rows a short read counts.
  func count() throws -> String {
    var writer = JSONWriter()
    let reader = try #require(host.reader)
    _ = try reader.perform(
      .count(CountRequest(entity: "A")),
      catalog: host.catalog,
      control: .unstoppable,
      reply: ReplyWriter(id: 1, framing: .lines),
      into: &writer
    )
    return String(decoding: writer.bytes, as: UTF8.self)
  }
}
