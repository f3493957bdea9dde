import DepotLinux
import DepotProtocol
import DepotServer
import Foundation
import TestSupport
import Testing

/// What a client gets through a socket whose buffer is smaller than what is sent.
@Suite struct OutputQueueTests {
  private let near: Descriptor
  private let far: Descriptor

  init() throws {
    var pair: [Int32] = [0, 0]
    try systemCall("socketpair") {
      socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0, &pair)
    }
    near = Descriptor(pair[0])
    far = Descriptor(pair[1])
    try near.setNonblocking()
    try far.setNonblocking()
  }

  /// Takes at most `count` bytes at the other side.
  private func take(_ count: Int) throws -> [UInt8] {
    let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: count, alignment: 1)
    defer { buffer.deallocate() }
    do throws(SystemError) {
      return Array(buffer[..<(try far.read(into: buffer))])
    } catch {
      guard error.wouldBlock else { throw error }
      return []
    }
  }

  @Test func `an empty queue is sent at once`() throws {
    var queue = OutputQueue()
    #expect(queue.count == 0)
    #expect(try queue.flush(to: near))
  }

  @Test func `small answers and large frames arrive in order, whatever the client takes at a time`()
    throws
  {
    var generator = SeededGenerator(seed: 3)
    for step in [1000, 65_536, 1_000_000] {
      var queue = OutputQueue()
      var expected: [UInt8] = []
      for index in 0..<40 {
        let count = index.isMultiple(of: 3) ? 100_000 + index : 7 + index
        let bytes = (0..<count).map { _ in UInt8.random(in: 0...255, using: &generator) }
        expected += bytes
        if index.isMultiple(of: 2) { queue.append(bytes) } else { queue.writer.raw(bytes) }
      }
      #expect(queue.count == expected.count)
      #expect(try !queue.flush(to: near), "the socket's buffer must be too small for this test")
      var received: [UInt8] = []
      while received.count < expected.count {
        received += try take(step)
        let isEmpty = try queue.flush(to: near)
        #expect(isEmpty == (queue.count == 0))
      }
      #expect(received == expected)
      #expect(queue.count == 0)
    }
  }

  @Test func `what is added to a queue that is half sent comes behind it`() throws {
    var queue = OutputQueue()
    let large = [UInt8](repeating: 1, count: 600_000)
    queue.append(large)
    #expect(try !queue.flush(to: near))
    queue.writer.raw([2, 2])
    queue.append([3])
    queue.append([UInt8](repeating: 4, count: 5000))
    queue.writer.raw([5])
    var received: [UInt8] = []
    while try !queue.flush(to: near) { received += try take(100_000) }
    while case let bytes = try take(100_000), !bytes.isEmpty { received += bytes }
    #expect(received == large + [2, 2, 3] + [UInt8](repeating: 4, count: 5000) + [5])
  }

  @Test func `a client that is gone is an error`() throws {
    var queue = OutputQueue()
    queue.writer.raw([1])
    try systemCall("shutdown") { shutdown(far.number, Int32(SHUT_RDWR)) }
    #expect(throws: SystemError.self) { try queue.flush(to: near) }
  }
}
