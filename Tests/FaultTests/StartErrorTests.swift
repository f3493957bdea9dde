import DepotClient
import DepotProtocol
import Foundation
import Glibc
import TestSupport
import Testing

/// The words of a daemon that can't serve: each cause has its own code, and a hint that is true.
extension FaultTests {
  @Suite struct StartErrorTests {
    struct Cause: Sendable {
      var call: String
      var error: String
      /// Behind the folder of the place; nothing for the store's files.
      var path: String?
      var code: DepotError.Code
      var status: Int32
      var words: String
    }

    struct Answer: Sendable {
      var status: Int32
      var error: DepotError?
      var log: String
    }

    private static let causes = [
      Cause(
        call: "openat",
        error: "EACCES",
        path: "/data/store.sqlite.lock",
        code: .filePermission,
        status: 77,
        words: "may not read and write"
      ),
      Cause(
        call: "openat",
        error: "EROFS",
        path: "/data/store.sqlite.lock",
        code: .readOnly,
        status: 69,
        words: "can't be written"
      ),
      Cause(
        call: "openat",
        error: "ENOSPC",
        path: "/data/store.sqlite.lock",
        code: .full,
        status: 74,
        words: "no room"
      ),
      Cause(
        call: "openat",
        error: "EIO",
        path: "/data/store.sqlite",
        code: .io,
        status: 74,
        words: "reported an error"
      ),
      Cause(
        call: "openat",
        error: "EACCES",
        path: "/s.lock",
        code: .filePermission,
        status: 77,
        words: "may not read and write"
      ),
    ]

    /// Starts the daemon in vain.
    private static func fail(
      _ place: Place,
      _ expressions: [String],
      paths: [String] = [],
      store: String? = nil
    ) throws -> Answer {
      let more = ["--report-start"] + (store.map { ["--store", $0] } ?? [])
      let daemon = try place.start(tracing: expressions, paths: paths, more)
      if let connection = place.connect(daemon) { try connection.shutdown() }
      let status = daemon.wait()
      let log = place.text(of: place.log)
      let line = log.split(separator: "\n").last { $0.hasPrefix("{") } ?? "null"
      let error = try JSONValue(parsing: line.utf8)["err"]
      let code = error?["code"]?.string.map(DepotError.Code.init)
      return Answer(
        status: status,
        error: code.map {
          DepotError($0, error?["message"]?.string ?? "", hint: error?["hint"]?.string)
        },
        log: log
      )
    }

    private static func makeStore() throws -> Place {
      let place = try Place()
      let (daemon, connection) = try place.serve()
      try connection.define(.items())
      for index in 0..<50 { try connection.put("item \(index)") }
      try connection.shutdown()
      daemon.wait()
      return place
    }

    @Test(arguments: [
      ("EACCES", DepotError.Code.filePermission), ("EROFS", .readOnly), ("ENOSPC", .full),
    ])
    func `why the folder for stores can't be made is told to the client that wants one there`(
      _ error: String,
      _ code: DepotError.Code
    ) async throws {
      let told = try await onThread {
        let place = try Self.makeStore()
        let daemon = try place.start(tracing: ["inject=mkdir:error=\(error)"])
        let connection = try #require(place.connect(daemon))
        let request = ContainerRequest("x", stores: [ContainerStore(.file("x.store"))])
        defer { daemon.kill() }
        do {
          try connection.openContainer(request)
          return nil as DepotError?
        } catch let error as DepotError {
          return error
        }
      }
      #expect(told?.code == code, "\(String(describing: told))")
      #expect(told?.at == "/args/stores/0")
      #expect(told?.message.contains("/data/stores") == true)
    }

    @Test(arguments: causes)
    func `what keeps the service from its files is named`(cause: Cause) async throws {
      let answer = try await onThread {
        // A store that is there would be served for reading.
        let isLock = cause.path == "/data/store.sqlite.lock"
        let place = try isLock ? Place() : Self.makeStore()
        let path = place.folder + (cause.path ?? "")
        return try Self.fail(
          place,
          ["inject=\(cause.call):error=\(cause.error)"],
          paths: [path]
        )
      }
      #expect(answer.status == cause.status, "\(answer.log)")
      #expect(answer.error?.code == cause.code)
      #expect(answer.error?.message.contains(cause.words) == true, "\(answer.log)")
      #expect(answer.error?.hint != nil)
    }

    @Test func `an error of the disk while the store is read isn't called damage`() async throws {
      let answers = try await onThread {
        try (1...14).map { number in
          let place = try Self.makeStore()
          let fault = ["inject=pread64:error=EIO:when=\(number)+"]
          return try Self.fail(place, fault, paths: [place.store])
        }
      }
      #expect(answers.contains { $0.error != nil })
      for answer in answers where answer.error != nil {
        #expect(answer.error?.code == .io, "\(answer.log)")
        #expect(answer.status == 74)
        #expect(answer.error?.hint?.contains("Restore") == false, "\(answer.log)")
        #expect(answer.error?.hint?.contains("dmesg") == true, "\(answer.log)")
      }
    }

    @Test func `damage is called damage`() async throws {
      let answer = try await onThread {
        let place = try Self.makeStore()
        let file = try #require(FileHandle(forUpdatingAtPath: place.store))
        for page in 1..<6 {
          try file.seek(toOffset: UInt64(page * Place.pageSize))
          try file.write(contentsOf: Data(repeating: 0xA5, count: 512))
        }
        try file.close()
        return try Self.fail(place, ["trace=none"])
      }
      #expect(answer.status == 74)
      #expect(answer.error?.code == .corrupt, "\(answer.log)")
      #expect(answer.error?.hint?.contains("backup") == true, "\(answer.log)")
    }

    @Test func `a store that finds no room to be made says so, and promises nothing`() async throws
    {
      let answer = try await onThread {
        let calls = "pwrite64,pwritev,pwritev2,ftruncate,fallocate"
        return try Self.fail(try Place(), ["inject=\(calls):error=ENOSPC"])
      }
      #expect(answer.status == 74, "\(answer.log)")
      #expect(answer.error?.code == .full, "\(answer.log)")
      #expect(answer.error?.hint?.contains("by itself") == false, "\(answer.log)")
      #expect(answer.error?.hint?.contains("try again") == true, "\(answer.log)")
    }

    @Test func `a folder that can't be made is named, with the cause`() async throws {
      let (refused, blocked) = try await onThread {
        let place = try Place()
        let folder = place.folder + "/none/deeper"
        let refused = try Self.fail(
          place,
          ["inject=mkdir:error=EACCES"],
          paths: [place.folder + "/none"],
          store: folder + "/store.sqlite"
        )
        try Data().write(to: URL(filePath: place.folder + "/file"))
        let store = place.folder + "/file/in/store.sqlite"
        return (refused, try Self.fail(place, ["trace=none"], store: store))
      }
      #expect(refused.status == 77, "\(refused.log)")
      #expect(refused.error?.code == .filePermission)
      #expect(refused.error?.message.contains("/none/deeper") == true, "\(refused.log)")
      #expect(blocked.status == 66, "\(blocked.log)")
      #expect(blocked.error?.code == .fileNotFound)
    }
  }
}
