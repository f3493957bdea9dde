import DepotClient
import DepotProtocol
import DepotSQLite
import Foundation
import Glibc
import TestSupport
import Testing

/// Files that can be mended, or be begun anew, and a log that can't be.
extension FaultTests {
  @Suite struct MendingTests {
    /// Puts files of the last clean stop whose file has the next stamp already.
    private static func putKilled(_ moments: LossTests.Moments, isClosed: Bool) throws {
      let place = moments.place
      try LossTests.put(moments.end, place)
      var state = try #require(try StateFile.state(of: place.store))
      if isClosed { state.nextStamp &= ~1 }
      try StateFile.set(state, beside: place.store)
      var main = try #require(moments.end[""])
      main.replaceSubrange(
        0..<Place.pageSize,
        with: DatabaseHeader.sealing(
          Array(main.prefix(Place.pageSize)),
          stamp: state.nextStamp
        )
      )
      try main.write(to: URL(filePath: place.store))
    }

    @Test func `a kill while the file got its stamp, and another while it is closed, do no harm`()
      async throws
    {
      try await onThread {
        let moments = try LossTests.Moments()
        let place = moments.place
        try Self.putKilled(moments, isClosed: false)
        let (daemon, connection) = try place.serve()
        #expect(moments.missing(try connection.names()) == 0)
        daemon.signal(SIGKILL)
        daemon.wait()
        // What closing does first, which another kill may cut short, gives the next stamp away.
        let state = try #require(try StateFile.state(of: place.store))
        let page = try Data(contentsOf: URL(filePath: place.store)).prefix(
          Place.pageSize
        )
        #expect(Array(page) == DatabaseHeader.sealing(Array(page), stamp: state.checkpoint.stamp))

        // As a migration leaves it, whose file takes the place of the other.
        try Self.putKilled(moments, isClosed: true)
        let (second, other) = try place.serve()
        try other.put("later")
        second.signal(SIGKILL)
        second.wait()
        for suffix in ["-wal", ".state"] {
          try FileManager.default.removeItem(atPath: place.store + suffix)
        }
        #expect(try place.check().status == 74, "the file alone isn't complete")
      }
    }

    @Test func `a store that is removed after a stop can begin anew`() async throws {
      try await onThread {
        let moments = try LossTests.Moments()
        let place = moments.place
        // A log was about to be begun when the service was killed, and nothing was written then.
        try LossTests.put([".state": moments.end[".state"] ?? Data()], place)
        var state = try #require(try StateFile.state(of: place.store))
        state.nextLog = 77
        try StateFile.set(state, beside: place.store)
        let (daemon, connection) = try place.serve()
        try connection.define(.items())
        #expect(try connection.names().isEmpty)
        try connection.shutdown()
        daemon.wait()
      }
    }

    @Test func `a store that power failed to let be made begins anew`() async throws {
      try await onThread {
        let moments = try LossTests.Moments()
        let place = moments.place
        try LossTests.put([:], place)
        try StateFile.set(DurableState(stamp: 0, now: 0), beside: place.store)
        let page = try #require(moments.closed[""]).prefix(Place.pageSize)
        let half = page.prefix(1024) + Data(count: Place.pageSize - 1024)
        try half.write(to: URL(filePath: place.store))
        let (daemon, connection) = try place.serve()
        try connection.define(.items())
        #expect(try connection.names().isEmpty)
        try connection.shutdown()
        daemon.wait()
        #expect(try Data(contentsOf: URL(filePath: place.store + ".lost-1")) == half)

        // More than that was a store.
        try LossTests.put([:], place)
        try StateFile.set(DurableState(stamp: 0, now: 0), beside: place.store)
        let main = try #require(moments.closed[""]).dropFirst(Place.pageSize)
        try (half + main).write(to: URL(filePath: place.store))
        #expect(try place.check().status == 74)
      }
    }

    @Test func `nothing is stored behind a damaged frame of a log`() async throws {
      try await onThread {
        let place = try Place()
        let (daemon, connection) = try place.serve()
        try connection.define(.items())
        try connection.put("first", rows: 40, bytes: 3000)
        let handle = try #require(FileHandle(forUpdatingAtPath: place.store + "-wal"))
        let log = try #require(try handle.readToEnd())
        let used = LossTests.used(log)
        let offset = UInt64(
          32 + (used - 32) / Place.frameSize / 2
            * Place.frameSize + 2000
        )
        try handle.seek(toOffset: offset)
        try handle.write(contentsOf: [log[Int(offset)] ^ 1])
        // The log is copied after a thousand pages.
        var stored = ["first"]
        var failure: DepotError?
        for number in 0..<30 where failure == nil {
          do {
            try connection.put("put \(number)", rows: 100, bytes: 3000)
            stored.append("put \(number)")
          } catch {
            failure = error as? DepotError
          }
        }
        let error = try #require(failure, "writes behind the damage were acknowledged")
        #expect(error.code == .corrupt && error.message.contains("in its log"), "\(error)")
        #expect(try connection.count(CountRequest(entity: "Item")) > 0, "reads go on")
        #expect(throws: DepotError.self) { try connection.put("last") }
        try connection.shutdown()
        daemon.wait()
        #expect(try place.check().status == 74)
      }
    }

    @Test func `a damaged first page is taken from the log`() async throws {
      try await onThread {
        let moments = try LossTests.Moments()
        let place = moments.place
        // The log has the first page if the schema changes.
        try LossTests.put(moments.last, place)
        var (daemon, connection) = try place.serve()
        try connection.define(.items(more: true))
        daemon.signal(SIGKILL)
        daemon.wait()
        var files = try LossTests.files(place)
        var main = try #require(files[""])
        main.replaceSubrange(0..<200, with: Data(count: 200))
        files[""] = main
        try LossTests.put(files, place)
        let check = try place.check()
        #expect(check.status == 74 && check.output.contains("the log"), "\(check.output)")
        (daemon, connection) = try place.serve()
        #expect(moments.missing(try connection.names()) == 0)
        try connection.shutdown()
        daemon.wait()
        #expect(try place.check().status == 0)

        // Without the log's there is nothing to be done.
        var end = try #require(moments.end[""])
        end[30] ^= 1
        files = moments.end
        files[""] = end
        try LossTests.put(files, place)
        let refused = try place.start()
        #expect(place.connect(refused) == nil)
        #expect(refused.wait() == 74)
        #expect(try LossTests.files(place) == files)
      }
    }
  }
}
