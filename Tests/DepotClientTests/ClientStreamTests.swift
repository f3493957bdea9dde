import DepotClient
import DepotProtocol
import Synchronization
import Testing

@Suite struct ClientStreamTests {
  private struct Item: Record, Equatable {
    var text: String

    static let entity = "Item"
    static let attributes: RecordAttributes<Item> = [.init(\.text, "text")]

    init(from row: inout RowReader) throws(DepotError) {
      text = try row.next()
    }

    func write(to row: inout RowWriter) {
      row.append(text)
    }
  }

  /// A service that sends frames of ten rows each, as many as it has credit for.
  private final class Source: Sendable {
    private let state = Mutex((sent: 0, credit: 0, granted: 0))
    let cancelled = AsyncStream.makeStream(of: Int64.self)
    let frames: Int

    init(frames: Int) {
      self.frames = frames
    }

    /// How many frames the client ever allowed.
    var granted: Int { state.withLock { $0.granted } }

    @Sendable func handle(_ peer: FakeService.Peer, _ frame: ClientFrame) {
      switch frame {
      case .call(let call): add(call.credit ?? 0, to: call.id, peer)
      case .more(let id, let count): add(count, to: id, peer)
      case .cancel(let id):
        cancelled.continuation.yield(id)
        peer.fail(id, DepotError(.cancelled, "cancelled"))
      default: break
      }
    }

    private func add(_ count: Int, to id: Int64, _ peer: FakeService.Peer) {
      let range = state.withLock { state in
        state.granted += count
        state.credit += count
        let start = state.sent
        state.sent = min(frames, start + state.credit)
        state.credit -= state.sent - start
        return start..<state.sent
      }
      for frame in range { peer.rows(id, frame * 10..<frame * 10 + 10) }
      if range.upperBound == frames, !range.isEmpty {
        peer.ok(id, ["rows": Int64(frames * 10)])
      }
    }
  }

  @Test func `a stream brings every row with credit for its window only`() async throws {
    let source = Source(frames: 100)
    let service = try FakeService(source.handle)
    let client = try await Client(socket: service.socket, options: ClientOptions(window: 4))
    var count = 0
    for try await item in client.rows(Item.self) {
      #expect(item.text == "\(count)")
      count += 1
      #expect(source.granted <= (count + 9) / 10 + 4)
    }
    #expect(count == 1000)
  }

  @Test func `leaving the loop cancels the fetch`() async throws {
    let source = Source(frames: 100)
    let service = try FakeService(source.handle)
    let client = try await Client(socket: service.socket, options: ClientOptions(window: 4))
    for try await item in client.rows(Item.self) where item.text == "15" { break }
    for await _ in source.cancelled.stream { break }
    #expect(source.granted <= 8)
  }

  @Test func `an array is fetched through the same window`() async throws {
    let source = Source(frames: 50)
    let service = try FakeService(source.handle)
    let client = try await Client(socket: service.socket)
    let items = try await client.fetch(Item.self)
    #expect(items.map(\.text) == (0..<500).map(String.init))
  }

  @Test func `an error ends the sequence after the rows before it`() async throws {
    let service = try FakeService { peer, frame in
      guard case .call(let call) = frame else { return }
      peer.rows(call.id, 0..<3)
      peer.fail(call.id, DepotError(.io, "The disk is gone."))
    }
    let client = try await Client(socket: service.socket)
    var count = 0
    let error = await #expect(throws: DepotError.self) {
      for try await _ in client.rows(Item.self) { count += 1 }
    }
    #expect(error?.code == .io)
    #expect(count == 3)
  }

  @Test func `a stream that lost its connection midway fails`() async throws {
    let service = try FakeService { peer, frame in
      guard case .call(let call) = frame else { return }
      peer.rows(call.id, 0..<3)
      peer.hangUp()
    }
    let client = try await Client(socket: service.socket)
    let error = await #expect(throws: DepotError.self) {
      for try await _ in client.rows(Item.self) {}
    }
    #expect(error?.code == .disconnected)
  }

  @Test func `cancelling the task ends the sequence`() async throws {
    let source = Source(frames: 0)
    let service = try FakeService(source.handle)
    let client = try await Client(socket: service.socket)
    let task = Task {
      for try await _ in client.rows(Item.self) {}
    }
    task.cancel()
    await #expect(throws: CancellationError.self) { try await task.value }
  }
}
