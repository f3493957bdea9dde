import DepotClient
import DepotProtocol
import Foundation
import Glibc
import TestSupport
import Testing

/// Errors of the disk while the daemon runs.
///
/// Proved by `OracleTests`: the same ledger reports a write that a lying disk dropped.
extension FaultTests {
  @Suite struct DiskErrorTests {
    private struct Result {
      var status: Int32
      var codes: [DepotError.Code?]
      var problems: [String]
      var log: String
    }

    /// Writes with a fault, and looks at the store after another start.
    private func write(_ call: String, _ fault: String) async throws -> Result {
      try await onThread {
        let place = try Place()
        var (daemon, connection) = try place.serve()
        try connection.define(.items())
        var ledger = Ledger()
        for index in 0..<3 { connection.put("before \(index)", in: &ledger) }
        let running = try Fault(call, fault, in: daemon, place)
        var codes: [DepotError.Code?] = []
        for index in 0..<8 { codes.append(connection.put("during \(index)", in: &ledger)?.code) }
        let status = daemon.wait()
        running.end()
        (daemon, connection) = try place.serve()
        var problems = ledger.problems(try connection.names())
        for name in ledger.unknown {
          try connection.put(name)
          ledger.note(name, .acknowledged)
        }
        problems += ledger.problems(try connection.names())
        try connection.shutdown()
        daemon.wait()
        let check = try place.check()
        if check.status != 0 { problems.append(check.output) }
        return Result(
          status: status,
          codes: codes,
          problems: problems,
          log: place.text(of: place.log)
        )
      }
    }

    @Test(arguments: [
      ("fdatasync", "error=EIO:when=1"), ("fdatasync", "error=EIO:when=4"),
      ("fdatasync", "error=EIO:when=2+"), ("pwrite64", "error=EIO:when=1"),
      ("pwrite64", "error=EIO:when=7"), ("pwrite64", "error=EIO"), ("fdatasync", "error=ENOSPC"),
    ])
    func `nothing is answered after a write or flush failed`(
      call: String,
      fault: String
    ) async throws {
      let result = try await write(call, fault)
      #expect(result.status == 70)
      #expect(result.problems == [])
      // Once an answer is missing, all later ones are.
      let firstLost = try #require(result.codes.firstIndex { $0 != nil })
      #expect(result.codes[firstLost...].allSatisfy { $0 == .disconnected })
      #expect(result.log.contains("the store failed; ending"))
    }

    @Test func `an error of the disk after a refusal isn't taken for another refusal`() async throws
    {
      let (refusal, codes, status, problems) = try await onThread {
        let place = try Place()
        let (daemon, connection) = try place.serve()
        try connection.define(.items())
        var ledger = Ledger()
        let arguments = ["prlimit", "--pid", "\(daemon.identifier)", "--fsize=4500000:unlimited"]
        try TestProcess(arguments, log: "/dev/null").wait()
        let refusal = connection.put("large", in: &ledger, bytes: 6_000_000)?.code
        let fault = try Fault("pwrite64", "error=EIO", in: daemon, place)
        let codes = (0..<2).map { connection.put("\($0)", in: &ledger)?.code }
        let status = daemon.wait()
        fault.end()
        let (again, other) = try place.serve()
        let problems = ledger.problems(try other.names())
        again.signal(SIGKILL)
        return (refusal, codes, status, problems)
      }
      #expect(refusal == .full)
      #expect(codes == [.disconnected, .disconnected])
      #expect(status == 70)
      #expect(problems == [])
    }

    @Test func `a start that can't flush the log is refused, and the next one finds everything`()
      async throws
    {
      let problems = try await onThread {
        let place = try Place()
        var (daemon, connection) = try place.serve()
        try connection.define(.items())
        var ledger = Ledger()
        for index in 0..<5 { connection.put("\(index)", in: &ledger) }
        daemon.signal(SIGKILL)
        daemon.wait()
        var problems: [String] = []
        for call in ["fsync", "fdatasync", "fadvise64", "pread64", "pwrite64"] {
          let expressions = ["trace=\(call)", "inject=\(call):error=EIO"]
          let start = try place.start(
            tracing: expressions,
            paths: [place.store, place.store + "-wal"]
          )
          if place.connect(start) != nil { problems.append("it serves without \(call)") }
          let status = start.wait()
          if ![70, 74].contains(status) { problems.append("\(call): status \(status)") }
        }
        (daemon, connection) = try place.serve()
        return problems + ledger.problems(try connection.names())
      }
      #expect(problems == [])
    }

    @Test func `a read that fails is its client's, and the service goes on`() async throws {
      let (code, others, later, status) = try await onThread {
        let place = try Place()
        var (daemon, connection) = try place.serve()
        try connection.define(.items())
        for index in 0..<50 { try connection.put("\(index)", bytes: 100_000) }
        try connection.shutdown()
        daemon.wait()
        (daemon, connection) = try place.serve()
        let other = try BlockingConnection(socket: SocketPath(place.socket))
        // The writer reads too when it first looks for history that is too old, within a second; that its
        // reads fail is another test's.
        Thread.sleep(forTimeInterval: 1.5)
        let fault = try Fault("pread64", "error=EIO", in: daemon, place)
        var code: DepotError.Code?
        do { _ = try connection.names() } catch let error as DepotError { code = error.code }
        let others = Swift.Result { try other.ping() }
        fault.end()
        let later = try connection.names().count
        try connection.shutdown()
        return (code, (try? others.get()) != nil, later, daemon.wait())
      }
      // SQLite calls a sector that can't be read a damaged file.
      #expect(code == .io || code == .corrupt)
      #expect(others)
      #expect(later == 50)
      #expect(status == 0)
    }
  }
}
