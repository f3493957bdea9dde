import DepotLinux
import DepotProtocol
import Foundation
import Glibc
import Synchronization

/// A stand-in between clients and a service that makes the service look broken in one way.
final class FaultyProxy: Sendable {
  let socket: String
  private let service: String
  private let planting: Mutex<Planting>
  private let isOver = Flag()

  /// How often it did what it is for.
  var count: Int { planting.withLock(\.count) }

  init(_ bug: PlantedBug, socket: String, service: String) throws {
    self.socket = socket
    self.service = service
    planting = Mutex(Planting(bug))
    let listener = try UnixSocket.listen(path: socket)
    try DepotLinux.Thread.start(name: "proxy") { [self] in
      var number = 0
      while !isOver.value {
        guard Self.canRead([listener.number])[0] else { continue }
        guard let client = try? UnixSocket.accept(from: listener) else { continue }
        number += 1
        let connection = number
        try? DepotLinux.Thread.start(name: "proxy-\(connection)") { [self] in
          try? serve(client, connection)
        }
      }
    }
  }

  func end() { isOver.set() }

  private func serve(_ descriptor: Descriptor, _ connection: Int) throws {
    let client = FrameEnd(descriptor)
    let server = FrameEnd(try UnixSocket.connect(path: service))
    let aside = try RawConnection(service)
    var asideCalls = 0
    while !isOver.value {
      let ready = Self.canRead([client.descriptor.number, server.descriptor.number])
      if ready[0] {
        guard let frames = try client.receive() else { return }
        for frame in frames {
          let answer = planting.withLock { $0.request(frame, connection) }
          for extra in answer.aside {
            asideCalls += 1
            let members = extra["key"].map { #","key":\#($0.text)"# } ?? ""
            try aside.call(
              asideCalls,
              extra["call"]?.string ?? "",
              extra["args"]?.text ?? "{}",
              members
            )
            _ = try aside.receiveAnswer(of: asideCalls)
          }
          for frame in answer.forward { try server.send(frame) }
          for frame in answer.reply { try client.send(frame) }
        }
      }
      if ready[1] {
        guard let frames = try server.receive() else { return }
        for frame in frames {
          let handling = planting.withLock { $0.reply(frame, connection) }
          for frame in handling.reply { try client.send(frame) }
          for frame in handling.forward { try server.send(frame) }
        }
      }
    }
  }

  /// Waits a while until one of the descriptors can be read.
  private static func canRead(_ numbers: [Int32]) -> [Bool] {
    var polled = numbers.map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
    _ = Glibc.poll(&polled, nfds_t(polled.count), 50)
    return polled.map { $0.revents != 0 }
  }

  /// One side of a connection.
  private final class FrameEnd {
    let descriptor: Descriptor
    private var decoder = FrameDecoder(limit: 64 << 20, framing: .length)
    private let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 64 << 10, alignment: 16)

    init(_ descriptor: Descriptor) { self.descriptor = descriptor }

    deinit { buffer.deallocate() }

    /// Returns the frames that have come; `nil` at the end.
    func receive() throws -> [JSONValue]? {
      let count = try descriptor.read(into: buffer)
      guard count > 0 else { return nil }
      decoder.receive(UnsafeRawBufferPointer(rebasing: buffer[..<count]))
      var frames: [JSONValue] = []
      while case .frame(let bytes)? = try decoder.next() {
        frames.append(try JSONValue(parsing: bytes))
      }
      return frames
    }

    func send(_ frame: JSONValue) throws {
      let bytes = RawConnection.frame(frame.text)
      var sent = 0
      while sent < bytes.count {
        let result = bytes.withUnsafeBytes { all in
          Result { () throws(SystemError) in
            try descriptor.send(UnsafeRawBufferPointer(rebasing: all[sent...]))
          }
        }
        switch result {
        case .success(let count): sent += count
        case .failure(let error) where error.code == EAGAIN: usleep(200)
        case .failure(let error): throw error
        }
      }
    }
  }
}
