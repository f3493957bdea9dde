import DepotLinux
import DepotProtocol
import TestSupport
import Testing

@testable import DepotClient
@testable import DepotClientCore

/// Programs that take their time between two rows, and those that were forked.
@Suite(.serialized) struct PausingReaderTests {
  private static let count = 30_000

  private struct Line: Record {
    var text: String

    static let entity = "Line"
    static let attributes: RecordAttributes<Line> = [.init(\.text, "text")]

    init(text: String) { self.text = text }
    init(from row: inout RowReader) throws(DepotError) { text = try row.next() }
    func write(to row: inout RowWriter) { row.append(text) }
  }

  private static let filling = String(repeating: "x", count: 500)

  private func service(_ arguments: [String] = []) async throws -> RealService {
    let service = try RealService(["--stall-ms", "300"] + arguments)
    let client = try await service.client()
    try await client.define(try Schema(for: Line.self))
    let lines = (0..<Self.count).map { Line(text: "\($0) " + Self.filling) }
    for start in stride(from: 0, to: Self.count, by: 5000) {
      _ = try await client.insert(Array(lines[start..<start + 5000]))
    }
    return service
  }

  @Test func `a sequence whose consumer pauses ends whole`() async throws {
    let service = try await service()
    defer { service.kill() }
    let client = try await service.client()
    var rows = 0
    for try await frame in client.fetchFrames(FetchRequest(entity: "Line")) {
      if rows == 0 {
        try await Task.sleep(for: .seconds(2))
        // The rest is of the same moment.
        let all = RowSelection.predicate(.value(.bool(true)))
        try await client.delete(DeleteRequest(entity: "Line", rows: all))
      }
      try frame.forEachRow { row in
        _ = try Line(from: &row)
        rows += 1
      }
    }
    #expect(rows == Self.count)
    #expect(try await client.count(Line.self) == 0)
  }

  @Test func `a sequence whose moment can't be kept says how many rows came`() async throws {
    let service = try await service(["--log-mib", "8"])
    defer { service.kill() }
    let client = try await service.client()
    var rows = 0
    let error = await #expect(throws: DepotError.self) {
      for try await _ in client.rows(Line.self) {
        if rows == 0 {
          for number in 0..<60 {
            let lines = (0..<500).map { Line(text: "\(number) \($0)" + Self.filling) }
            _ = try await client.insert(lines)
            try await Task.sleep(for: .milliseconds(50))
          }
        }
        rows += 1
      }
    }
    #expect(error?.code == .streamExpired)
    #expect(rows > 0 && rows < Self.count)
    #expect(error?.message.contains("\(rows) rows came before it.") == true, "\(error as Any)")
    #expect(error?.hint?.contains("next") == true)
  }

  @Test func `a loop over the rows of a connection that pauses ends whole`() async throws {
    let service = try await service()
    defer { service.kill() }
    let outcome: (Int, DepotError?) = try await onThread {
      let connection = try BlockingConnection(socket: service.socket)
      var rows = 0
      do {
        _ = try connection.send(.fetch(FetchRequest(entity: "Line"))) { frame in
          if rows == 0 { Process.sleep(milliseconds: 2000) }
          try frame.forEachRow { row in
            _ = try Line(from: &row)
            rows += 1
          }
        }
        return (rows, nil)
      } catch {
        return (rows, error as? DepotError)
      }
    }
    #expect(outcome.1 == nil)
    #expect(outcome.0 == Self.count)
  }

  @Test func `a client that another process made refuses calls instead of sharing them`()
    async throws
  {
    let service = try FakeService { peer, frame in
      if case .call(let call) = frame { peer.ok(call.id) }
    }
    let client = try await Client(socket: service.socket)
    client.core.update { state in state.process += 1 }
    let error = await #expect(throws: DepotError.self) { try await client.ping() }
    #expect(error?.code == .disconnected)
    let other = try await onThread {
      let connection = try BlockingConnection(socket: service.socket)
      connection.calls.process += 1
      return #expect(throws: DepotError.self) { _ = try connection.send(.ping) }
    }
    #expect(other?.code == .disconnected)
  }
}
