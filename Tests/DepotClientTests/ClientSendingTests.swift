import DepotLinux
import DepotProtocol
import Testing

@testable import DepotClient
@testable import DepotClientCore

/// The frames that a client has for its service.
@Suite struct ClientSendingTests {
  @Test func `calls have rising numbers on the wire when one before them is too large`() throws {
    var state = ClientCore.State(nil)
    let (near, far) = try UnixSocket.pair()
    state.descriptor = far
    state.frameLimit = 200
    let large = DeleteRequest(entity: "E", rows: .identifiers(Array(1...100)))
    for operation in [.delete(large), .ping, .ping] as [DepotProtocol.Operation] {
      _ = state.table.submit(PendingCall(operation), as: state.table.reserve(), now: 0)
    }
    state.perform(state.table.connect(inFlight: 2, streams: 1, now: 0))
    var decoder = FrameDecoder(framing: .length)
    state.outbox.writer.bytes.withUnsafeBytes { decoder.receive($0) }
    var numbers: [Int64] = []
    while case .frame(let bytes)? = try decoder.next() {
      if case .call(let call) = try ClientFrame(bytes) { numbers.append(call.id) }
    }
    #expect(numbers == [2, 3])
    withExtendedLifetime(near) {}
  }

  @Test func `what was sent takes no memory though there is always more to send`() throws {
    let (near, far) = try UnixSocket.pair()
    var outbox = Outbox()
    let call = Call(
      id: 1,
      .insert(InsertRequest(entity: "E", columns: ["x"], rows: RowBatch([[.string(Self.text)]])))
    )
    let size = outbox.append(.call(call))
    for _ in 1..<16 { outbox.append(.call(call)) }
    try outbox.flush(to: far)
    for _ in 0..<200 {
      outbox.append(.call(call))
      try take(size, from: near)
      try outbox.flush(to: far)
      #expect(!outbox.isEmpty)
    }
    #expect(outbox.writer.bytes.count < 64 * size)
  }

  private static let text = String(repeating: "x", count: 1 << 16)

  private func take(_ count: Int, from descriptor: Descriptor) throws {
    let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 16, alignment: 16)
    defer { buffer.deallocate() }
    var left = count
    while left > 0 {
      let room = UnsafeMutableRawBufferPointer(rebasing: buffer[..<min(left, buffer.count)])
      left -= try descriptor.read(into: room)
    }
  }
}
