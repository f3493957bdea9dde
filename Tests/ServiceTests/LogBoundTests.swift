import DepotClient
import DepotLinux
import DepotProtocol
import Foundation
import Testing

extension ServiceTests {
  /// The size of the write-ahead log while readers are in the way of beginning it anew.
  @Suite(.serialized) struct LogBoundTests {
    /// What the documents promise: the limit, and what is written within about two seconds.
    private static let bound = (8 + 40) << 20

    @Test func `the log stays short though there is always somebody who reads`() throws {
      let daemon = try TestDaemon(["--log-mib", "8", "--pin-ms", "5000"])
      try daemon.connect().fill(20_000, textBytes: 100)
      let (isOver, expired, foreign) = (Flag(), Counter(), Counter())
      let written = Counter()
      let (largest, path, socket) = (Shared(0), daemon.store + "-wal", daemon.socket)
      let end = ContinuousClock().now + .seconds(15)
      try inParallel(6) { number in
        switch number {
        case 0:
          defer { isOver.set() }
          let connection = try BlockingConnection(socket: SocketPath(socket))
          let text = String(repeating: "z", count: 1000)
          while ContinuousClock().now < end {
            // About 10 MiB in a second, as the log counts them.
            let items = (0..<500).map { Item(name: "w \(written.value) \($0)", text: text) }
            try connection.insert(items)
            written.add()
            DepotLinux.Process.sleep(milliseconds: 80)
            let size = FileSystem.size(of: path) ?? 0
            largest.change { $0 = max($0, size) }
          }
        case 1, 2:
          // Pins and streams that are parked, each begun before the one before ends.
          while !isOver.value {
            let connection = try RawConnection(socket)
            try connection.call(1, "pin", "{}")
            let name = try connection.receiveAnswer(of: 1).terminal["ok", "pin"]?.string ?? ""
            let fetch = #"{"entity":"Item","batch":1}"#
            try connection.call(2, "fetch", fetch, #","credit":1,"pin":"\#(name)""#)
            try connection.call(3, "fetch", fetch, #","credit":1"#)
            var open = 2
            while open > 0 {
              guard let frame = try connection.receiveIfAny(within: .milliseconds(200)) else {
                // Nobody writes any more, so that the log stays short enough.
                if isOver.value { return }
                continue
              }
              if frame["next"] != nil { continue }
              open -= 1
              if frame.errorCode == "stream.expired" { expired.add() } else { foreign.add() }
            }
          }
        case 3, 4:
          // Streams that are read to their end, by readers who take their time.
          let connection = try BlockingConnection(socket: SocketPath(socket))
          while !isOver.value {
            do {
              var count = 0
              _ = try connection.fetch(FetchRequest(entity: "Item", limit: 20_000)) { row in
                while !row.isAtEndOfRow() { _ = try row.text() }
                count += 1
                if count.isMultiple(of: 1000) { DepotLinux.Process.sleep(milliseconds: 10) }
              }
            } catch let error as DepotError where error.code == .streamExpired {
              expired.add()
            }
          }
        default:
          let connection = try BlockingConnection(socket: SocketPath(socket))
          while !isOver.value {
            _ = try connection.get(Identifier<Item>(1))
            DepotLinux.Process.sleep(milliseconds: 1)
          }
        }
      }
      #expect(foreign.value == 0)
      #expect(expired.value > 3)
      #expect(written.value > 20)
      #expect(largest.value <= Self.bound, "\(largest.value) bytes after \(written.value) writes")
      let connection = try daemon.connect()
      try connection.withSnapshot { snapshot in
        let count = try snapshot.count(Item.self)
        #expect(count == 20_000 + 500 * written.value)
      }
    }
  }
}
