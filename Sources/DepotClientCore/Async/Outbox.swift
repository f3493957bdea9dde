internal import DepotLinux
internal import DepotProtocol

/// The bytes that wait to be sent on one connection.
struct Outbox: Sendable {
  private(set) var writer = JSONWriter(capacity: 1024)
  private var sent = 0

  var isEmpty: Bool { sent == writer.bytes.count }

  /// Adds a frame; returns its size with the length before it.
  @discardableResult
  mutating func append(_ frame: ClientFrame) -> Int {
    let start = FrameEncoder.begin(.length, in: &writer)
    writer.write(frame)
    FrameEncoder.end(.length, from: start, in: &writer)
    return writer.bytes.count - start
  }

  /// Returns the error about a value that can't be encoded, in the frame that was added last.
  func refusal(_ size: Int) -> DepotError? {
    RefusedValue.error(in: writer.bytes, from: writer.bytes.count - size + 4)
  }

  /// Takes back the frame that was added last.
  mutating func removeLast(_ size: Int) {
    writer.bytes.removeLast(size)
  }

  /// Sends as much as goes without waiting.
  ///
  /// - Throws: ``SystemError`` if the connection is lost.
  mutating func flush(to descriptor: Descriptor) throws(SystemError) {
    while !isEmpty {
      do throws(SystemError) {
        sent += try descriptor.send(writer.bytes, from: sent)
      } catch {
        guard error.wouldBlock else { throw error }
        // Moving the rest is cheap compared with the bytes that were sent.
        if sent > 1 << 18, sent * 2 > writer.bytes.count {
          writer.bytes.removeFirst(sent)
          sent = 0
        }
        return
      }
    }
    writer.bytes.removeAll(keepingCapacity: writer.bytes.capacity <= 1 << 18)
    sent = 0
  }
}

extension JSONWriter {
  /// Writes a frame of a client.
  fileprivate mutating func write(_ frame: ClientFrame) {
    switch frame {
    case .hello(let hello): write(hello)
    case .call(let call): write(call)
    case .more(let id, let count): write(.object(["id": .int64(id), "more": .int64(Int64(count))]))
    case .cancel(let id): write(.object(["id": .int64(id), "cancel": .bool(true)]))
    case .ping(let number): write(.object(["ping": .int64(number)]))
    case .pong(let number): write(.object(["pong": .int64(number)]))
    case .invalidCall, .invalidControl:
      preconditionFailure("A client doesn't make invalid calls.")
    }
  }
}
