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

  private func service() async throws -> RealService {
    let service = try RealService(["--stall-ms", "300"])
    let client = try await service.client()
    try await client.define(try Schema(for: Line.self))
    let lines = (0..<Self.count).map { Line(text: "\($0) " + String(repeating: "x", count: 500)) }
    for start in stride(from: 0, to: Self.count, by: 5000) {
      _ = try await client.insert(Array(lines[start..<start + 5000]))
    }
    return service
  }

  @Test func `a sequence whose consumer pauses ends whole or throws`() async throws {
    let service = try await service()
    defer { service.kill() }
    let client = try await service.client()
    var rows = 0
    do {
      for try await frame in client.fetchFrames(FetchRequest(entity: "Line")) {
        if rows == 0 { try await Task.sleep(for: .seconds(2)) }
        try frame.forEachRow { row in
          _ = try Line(from: &row)
          rows += 1
        }
      }
      #expect(rows == Self.count)
    } catch let error as DepotError {
      #expect(error.code == .streamExpired)
      #expect(rows < Self.count)
    }
    // The pause is the stream's own matter.
    #expect(try await client.count(Line.self) == Self.count)
  }

  @Test func `a loop over the rows of a connection that pauses ends whole or throws`() async throws
  {
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
    #expect(outcome.1 != nil || outcome.0 == Self.count)
    if let error = outcome.1 {
      #expect([.streamExpired, .outboundTooLarge].contains(error.code), "\(error)")
    }
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
