import DepotClient
import DepotProtocol
import Foundation
import Glibc
import TestSupport
import Testing

@testable import DepotLinux

/// The order of what the daemon does to its files when it starts.
extension FaultTests {
  @Suite struct StartOrderTests {
    /// What must happen, in this order, as words that a line of strace has.
    private static let protocolOrder: [[String]] = [
      ["openat(", "store.sqlite.lock"], ["flock("],
      ["fsync(", "<store.sqlite>"], ["fadvise64(", "<store.sqlite>"],
      ["fsync(", "<store.sqlite-wal>"], ["fadvise64(", "<store.sqlite-wal>"],
      ["pread64(", "<store.sqlite-wal>"],
      // Only SQLite opens the database for writing.
      ["openat(", "store.sqlite\"", "O_RDWR"], ["openat(", "store.sqlite-wal\"", "O_RDWR"],
      ["pwrite64(", "<store.sqlite>"], ["fdatasync(", "<store.sqlite>"],
      ["ftruncate(", "<store.sqlite-wal>"],
      ["openat(", "store.sqlite\"", "O_RDWR"],
      ["bind("], ["listen("], ["rename(", "/s\""],
    ]

    /// Returns the first step that isn't there after those before it.
    private static func missing(in lines: [String]) -> [String]? {
      var rest = lines[...]
      for step in protocolOrder {
        guard let index = rest.firstIndex(where: { line in step.allSatisfy(line.contains) }) else {
          return step
        }
        rest = rest[(index + 1)...]
      }
      return nil
    }

    private func traceOfStart() async throws -> [String] {
      try await onThread {
        let place = try Place()
        let (daemon, connection) = try place.serve()
        try connection.define(.items())
        try connection.put("a")
        daemon.signal(SIGKILL)
        daemon.wait()
        let names = "openat,flock,fsync,fadvise64,pread64,pwrite64,fdatasync,ftruncate,bind,listen"
        let again = try place.start(tracing: ["trace=\(names),rename,close"])
        try place.connect(again)?.shutdown()
        again.wait()
        return Self.named(place.text(of: place.trace), folder: place.folder)
      }
    }

    /// Puts the name of the file in place of each descriptor.
    private static func named(_ trace: String, folder: String) -> [String] {
      var files: [Substring: String] = [:]
      return trace.split(separator: "\n").map { line in
        // strace pads the process number, so short ones have more spaces behind them.
        let call = String(line.drop { $0.isNumber }.drop { $0 == " " })
        if call.hasPrefix("openat("), let number = call.split(separator: " ").last,
          let path = call.split(separator: "\"").dropFirst().first
        {
          files[number] = String(path.split(separator: "/").last ?? path)
        }
        guard let open = call.firstIndex(of: "(") else { return call }
        let number = call[call.index(after: open)...].prefix { $0.isNumber }
        return files[number].map { "\(call[...open])<\($0)>\(call)" } ?? call
      }
    }

    @Test func `a store is proved before SQLite opens it, and served after the checkpoint`()
      async throws
    {
      let lines = try await traceOfStart()
      #expect(Self.missing(in: lines) == nil, "\(lines.joined(separator: "\n"))")
      let firstOpening = try #require(
        lines.firstIndex { $0.contains("store.sqlite\"") && $0.contains("O_RDWR") }
      )
      let reads = lines[..<firstOpening].filter { $0.contains("openat(") && $0.contains("-shm") }
      #expect(reads.isEmpty)
      // Proof that the order is looked at: each step that comes last is missed.
      for step in Self.protocolOrder.dropLast() where step[0] != "openat(" {
        var moved = lines.filter { line in !step.allSatisfy(line.contains) }
        moved += lines.filter { line in step.allSatisfy(line.contains) }
        #expect(Self.missing(in: moved) != nil, "\(step)")
      }
    }

    @Test(arguments: [
      (0x6969, "NFS"), (0x6573_5546, "FUSE"), (0xFF53_4D42, "CIFS"),
      (0x0102_1997, "9p"),
    ])
    func `file systems of the network are refused by name`(type: Int, name: String) {
      #expect(FileSystemKind(type: type) == .unsuitable(name))
    }

    @Test(arguments: [0xEF53, 0x5846_5342, 0x9123_683E, 0x0102_1994, 0x794C_7630])
    func `local file systems are accepted`(type: Int) {
      #expect(FileSystemKind(type: type) == .local)
    }
  }
}
