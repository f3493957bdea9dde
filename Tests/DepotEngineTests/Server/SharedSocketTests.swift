import DepotLinux
import DepotProtocol
import Foundation
import Synchronization
import TestSupport
import Testing

@testable import DepotServer

/// A flag that threads share.
private final class Flag: Sendable {
  let value = Atomic(false)
}

/// The bytes that a client gets when several threads send to it.
@Suite struct SharedSocketTests {
  private let near: Descriptor
  private let far: Descriptor
  private let inbox: Inbox
  private let socket: SharedSocket

  init() throws {
    var pair: [Int32] = [0, 0]
    try systemCall("socketpair") {
      socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0, &pair)
    }
    near = Descriptor(pair[0])
    far = Descriptor(pair[1])
    try near.setNonblocking()
    inbox = Inbox(loop: try EventLoop())
    socket = SharedSocket(1, near, inbox)
  }

  /// Takes all that the client can read now, at most so many bytes.
  private func take(_ count: Int = 1 << 20) throws -> [UInt8] {
    let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: count, alignment: 1)
    defer { buffer.deallocate() }
    return Array(buffer[..<(try far.read(into: buffer))])
  }

  @Test func `another thread may send while the server's thread has nothing`() throws {
    var notes = 0
    #expect(socket.send([1, 2]) { notes += 1 })
    #expect(notes == 1)
    #expect(try take() == [1, 2])
  }

  @Test func `nobody else sends while output waits for the client`() throws {
    var output = OutputQueue()
    output.append([UInt8](repeating: 7, count: 2_000_000))
    #expect(try !socket.flush(&output, to: near))
    #expect(!socket.send([1]) { Issue.record("nothing was to be sent") })
    var count = 0
    while output.count > 0 {
      count += try take().count
      _ = try socket.flush(&output, to: near)
    }
    #expect(socket.send([1]) {})
    while count < 2_000_001 { count += try take().count }
    #expect(count == 2_000_001)
  }

  @Test func `nobody else sends once it is held, until the next flush, or once it is closed`()
    throws
  {
    var output = OutputQueue()
    socket.hold()
    #expect(!socket.send([1]) {})
    #expect(try socket.flush(&output, to: near))
    #expect(socket.send([2]) {})
    socket.close()
    #expect(!socket.send([3]) {})
    #expect(try take() == [2])
  }

  @Test func `the end of a frame that the client hasn't taken comes before all other output`()
    throws
  {
    let large = [UInt8](repeating: 1, count: 2_000_000)
    #expect(socket.send(large) {})
    guard case .rest(connection: 1)? = inbox.takeAll().first else {
      Issue.record("the server's thread doesn't hear of it")
      return
    }
    #expect(!socket.send([3]) {})
    var output = OutputQueue()
    output.writer.raw([2])
    var received: [UInt8] = []
    while received.count < large.count + 1 {
      _ = try socket.flush(&output, to: near)
      received += try take()
    }
    #expect(received == large + [2])
  }

  private func session() -> Session {
    Session(
      number: 1,
      descriptor: near,
      inbox: inbox,
      peer: UnixSocket.Peer(process: 1, user: 0, group: 0),
      role: .owner,
      now: 10
    )
  }

  @Test func `nothing of a watch comes behind its terminal frame`() throws {
    let caller = Caller(session(), Call(id: 1, .ping))
    let watched = WatchedFrames(caller, socket, inbox)
    watched.deliver([1], 1, isLast: false)
    watched.deliver([2], 0, isLast: true)
    guard case .rows(_, frames: [2], count: 0, isLast: true)? = inbox.takeAll().last else {
      Issue.record("the server's thread has no terminal frame")
      return
    }
    watched.didTake()
    // A reader had rows when the watch was cancelled.
    watched.deliver([3], 1, isLast: false)
    #expect(inbox.takeAll().isEmpty)
    #expect(try take() == [1])
  }

  @Test func `a client has its time from when output begins to wait for it`() {
    // Other threads may have sent for long, of which this one took no note.
    let session = session()
    session.note([.reads, .writes], 500)
    #expect(session.lastProgress == 500)
    session.note([.reads, .writes], 600)
    #expect(session.lastProgress == 500)
    session.note(.reads, 700)
    session.note([.reads, .writes], 800)
    #expect(session.lastProgress == 800)
  }

  @Test(arguments: seeds(3))
  func `frames of two threads arrive whole, those of each in its order`(seed: UInt64) async throws {
    let count = 500
    // A frame is its length, its sender, its number, and as many bytes as the length says.
    @Sendable func frame(_ sender: UInt8, _ number: Int, _ length: Int) -> [UInt8] {
      var bytes: [UInt8] = [UInt8(length & 255), UInt8(length >> 8), sender]
      bytes += [UInt8(number & 255), UInt8(number >> 8)]
      return bytes + [UInt8](repeating: sender, count: length)
    }
    let (socket, near, inbox) = (socket, near, inbox)
    let isDone = Flag()
    async let others: Void = onThread {
      var generator = SeededGenerator(seed: seed)
      for number in 0..<count {
        let bytes = frame(1, number, Int.random(in: 0..<9000, using: &generator))
        while !socket.send(bytes, noting: {}), !isDone.value.load(ordering: .acquiring) {
          usleep(20)
        }
      }
    }
    async let own: Void = onThread {
      var generator = SeededGenerator(seed: seed &+ 1)
      var output = OutputQueue()
      var number = 0
      while !isDone.value.load(ordering: .acquiring) {
        if number < count {
          output.writer.raw(frame(2, number, Int.random(in: 0..<9000, using: &generator)))
          number += 1
        }
        // This also sends what the other thread couldn't.
        _ = try? socket.flush(&output, to: near)
        _ = inbox.takeAll()
      }
    }
    let far = far
    let next = try await onThread {
      var next = [0, 0, 0]
      var received: [UInt8] = []
      let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 16, alignment: 1)
      defer { buffer.deallocate() }
      while next[1] < count || next[2] < count {
        received += Array(buffer[..<(try far.read(into: buffer))])
        var start = 0
        while start + 5 <= received.count {
          let length = Int(received[start]) | Int(received[start + 1]) << 8
          guard start + 5 + length <= received.count else { break }
          let sender = received[start + 2]
          let number = Int(received[start + 3]) | Int(received[start + 4]) << 8
          let isWhole = received[(start + 5)..<(start + 5 + length)].allSatisfy { $0 == sender }
          guard sender == 1 || sender == 2, number == next[Int(sender)], isWhole else {
            return next
          }
          next[Int(sender)] += 1
          start += 5 + length
        }
        received.removeFirst(start)
      }
      return next
    }
    isDone.value.store(true, ordering: .releasing)
    #expect(next == [0, count, count])
    _ = try await (others, own)
  }
}
