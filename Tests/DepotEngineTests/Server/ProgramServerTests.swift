import DepotEngine
import DepotLinux
import DepotProtocol
import Foundation
import Synchronization
import TestSupport
import Testing

@testable import DepotServer

/// Services that are part of a program.
@Suite struct ProgramServerTests {
  private let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
    .path

  /// A service on a thread of its own.
  private final class Running: Sendable {
    let server: Server
    private let status = Mutex<Int32?>(nil)

    init(_ server: Server) throws {
      self.server = server
      try DepotLinux.Thread.start(name: "test-service") { [self] in
        let end = server.run()
        status.withLock { $0 = end }
      }
    }

    /// Waits for the end and returns the status.
    func wait() -> Int32? { poll { status.withLock { $0 } } }
  }

  private func makeServer(_ path: String) throws -> Server {
    let socket = path + ".socket"
    return try Server(
      inProgram: .file(path: path, ListeningSocket.Claim(path: socket)),
      socket: socket
    )
  }

  /// Sends lines, and returns those that come back until the end or `count` of them.
  private func talk(_ descriptor: Descriptor, _ lines: [String], count: Int) throws -> [String] {
    let bytes = Array((lines.joined(separator: "\n") + "\n").utf8)
    if !lines.isEmpty { _ = try bytes.withUnsafeBytes { try descriptor.send($0) } }
    var received: [UInt8] = []
    let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 16, alignment: 1)
    defer { buffer.deallocate() }
    while received.count(where: { $0 == 0x0A }) < count {
      guard let size = try? descriptor.read(into: buffer), size > 0 else { break }
      received += buffer[..<size]
    }
    return String(decoding: received, as: UTF8.self).split(separator: "\n").map(String.init)
  }

  private static let hello = #"{"hello":{"protocol":[1,1]}}"#

  @Test func `after the disk failed it answers nothing, ends, and the file can be opened again`()
    throws
  {
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(atPath: folder) }
    let path = folder + "/x.store"
    let first = try Running(makeServer(path))
    let client = try first.server.makeConnection()
    #expect(try talk(client, [Self.hello], count: 1).first?.contains("welcome") == true)
    first.server.inbox.post(.fatal(DepotError(.io, "The disk failed.")))
    #expect(first.wait() == 70)
    #expect(try talk(client, [], count: 1).isEmpty, "the connection is at its end")
    let late = try first.server.makeConnection()
    #expect((try? talk(late, [Self.hello], count: 1))?.isEmpty ?? true)
    #expect(!FileManager.default.fileExists(atPath: path + ".socket"))
    try withExtendedLifetime(first) {
      let store = try Store(
        configuration: StoreConfiguration(path: path),
        onCommit: { _ in },
        onFatal: { _ in }
      )
      store.close {}
    }
  }

  @Test func `a client can't end it or take its place`() throws {
    let running = try Running(Server(inProgram: .memory))
    let client = try running.server.makeConnection()
    let answers = try talk(
      client,
      [
        Self.hello, #"{"id":1,"call":"shutdown"}"#,
        #"{"id":2,"call":"takeover","args":{"store":"/x"}}"#, #"{"id":3,"call":"ping"}"#,
      ],
      count: 4
    )
    #expect(answers.count { $0.contains("permission.op") } == 2, "\(answers)")
    #expect(answers.last == #"{"id":3,"ok":{}}"#, "\(answers)")
    running.server.end()
    #expect(running.wait() == 0)
  }

  @Test func `it finishes what was begun before it ends`() throws {
    let running = try Running(Server(inProgram: .memory))
    let client = try running.server.makeConnection()
    let schema = #"{"entities":[{"name":"A","attributes":[{"name":"n","type":"int64"}]}]}"#
    let rows = (0..<5000).map { "[\($0)]" }.joined(separator: ",")
    let answers = try talk(
      client,
      [
        Self.hello, #"{"id":1,"call":"schema.define","args":{"schema":\#(schema)}}"#,
        #"{"id":2,"call":"ping"}"#,
      ],
      count: 3
    )
    #expect(answers.count == 3, "\(answers)")
    let insert = #"{"entity":"A","columns":["n"],"rows":[\#(rows)]}"#
    _ = try talk(client, [#"{"id":3,"call":"insert","args":\#(insert)}"#], count: 0)
    running.server.end()
    let rest = try talk(client, [], count: 3)
    #expect(
      rest.contains { $0.hasPrefix(#"{"id":3,"ok""#) || $0.contains("unavailable.draining") },
      "\(rest)"
    )
    #expect(running.wait() == 0)
  }
}
