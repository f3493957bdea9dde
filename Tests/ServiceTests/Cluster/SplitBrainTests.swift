import DepotLinux
import DepotProtocol
import Foundation
import TestSupport
import Testing

extension ClusterTests {
  /// A primary that lives on after its standby was promoted, while services write to both.
  @Suite(.serialized) struct SplitBrainTests {
    @Test(arguments: [(3, 1), (2, 2), (1, 3)])
    func `commits of a replaced primary stay out of the new one`(
      old: Int,
      new: Int
    ) async throws {
      try await onThread {
        let split = try Split()
        try split.promote()
        let other = try ClusterService("on the new one", on: [split.standby])
        let writer = try LineConnection(other.socket)
        for number in 0..<old { try split.connection.demand("insert", insertion("old \(number)")) }
        for number in 0..<new { try writer.demand("insert", insertion("new \(number)")) }
        let before = try split.content()
        try split.turn(["depotd", "depotd news"])
        try split.expectRefusal()
        #expect(try split.content() == before)
        try Self.checkNew(split, other, rows: 1 + new)
      }
    }

    @Test func `pages for a replaced primary stay out of the new one`() async throws {
      try await onThread {
        let split = try Split()
        try split.promote()
        let other = try ClusterService("on the new one", on: [split.standby])
        let writer = try LineConnection(other.socket)
        // The new primary is ahead, so that its number alone doesn't tell.
        for number in 0..<40 { try writer.demand("insert", insertion("new \(number)")) }
        let before = try split.content()
        let others = try split.sessions()
        try split.turn(["depotd news"])
        try expectSoon("the feed doesn't turn") { try split.sessions().count > others.count }
        let first = try split.sessions().subtracting(others)
        for number in 0..<12 {
          try split.connection.demand("insert", insertion("old \(number)", textBytes: 2_000_000))
        }
        // The feed refuses to write them, and begins another session.
        try expectSoon("no pages are refused") { try split.sessions().isDisjoint(with: first) }
        #expect(try split.content() == before)
        try split.turn(["depotd"])
        try split.expectRefusal()
        #expect(try split.content() == before)
        try Self.checkNew(split, other, rows: 41)
      }
    }

    @Test func `a service hears the new primary only, though its feed is at the old one`()
      async throws
    {
      try await onThread {
        let split = try Split()
        let left = try ClusterService("left behind", on: [split.primary])
        try split.promote()
        try split.turn(["depotd"], keeping: left)
        let base = try split.standby.sql("SELECT base FROM depot.head")
        let writer = try LineConnection(left.socket)
        for number in 0..<40 { try writer.demand("insert", insertion("old \(number)")) }
        // Pages that the old primary refuses are due again after as many.
        var count = 0
        while try count < 60 && split.standby.sql("SELECT base FROM depot.head") == base {
          count += 1
          try expectSoon("the service doesn't go on") {
            let text = insertion("new \(count)", textBytes: 2_000_000)
            return try split.connection.call("insert", text).result != nil
          }
        }
        #expect(count < 60, "the new primary gets no pages")
        try split.service.checkRunning()
        try Self.checkNew(split, split.service, rows: 1 + count)
      }
    }

    @Test func `commits that somebody has put in the place of others aren't built upon`()
      async throws
    {
      try await onThread {
        let cluster = try TemporaryCluster()
        let service = try ClusterService("a service", on: [cluster])
        let connection = try LineConnection(service.socket)
        try connection.demand("schema.define", #"{"schema":\#(ClusterWriter.schema)}"#)
        try cluster.sql("UPDATE depot.head SET identity = identity # 1")
        let before = try cluster.sql("SELECT * FROM depot.head")
        try expectEnd(of: service, connection)
        #expect(try cluster.sql("SELECT * FROM depot.head") == before)
      }
    }

    /// Checks that the new primary has all that it acknowledged, and nothing else.
    private static func checkNew(_ split: Split, _ service: ClusterService, rows: Int) throws {
      let connection = try LineConnection(service.socket)
      let count = try connection.demand("count", #"{"entity":"Item"}"#).result?["count"]?.int64
      #expect(count == Int64(rows))
      let left = #"{"entity":"Item","where":"name BEGINSWITH 'old'"}"#
      #expect(try connection.demand("count", left).result?["count"]?.int64 == 0)
      let store = ClusterService.address(of: [split.standby])
      let check = try Program.run([Programs.daemon, "--check", "--store", store])
      #expect(check.status == 0, "\(check.output)\(check.errors)")
      if !split.service.isRunning { try split.service.start() }
      try connection.demand("insert", insertion("last"))
      let services = try [service, split.service, ClusterService("a third", on: [split.standby])]
      let head = try ClusterCheck.head(of: service)
      _ = try ClusterCheck(services, Ledger(), since: head).checkContents()
    }
  }
}

private func insertion(_ name: String, textBytes: Int = 0) -> String {
  let text = String(repeating: "x", count: textBytes)
  return """
    {"entity":"Item","columns":["name","text"],"rows":[["\(name)","\(text)"]],"onConflict":"skip"}
    """
}

/// A primary with a standby, and a service whose host can be turned from the one to the other.
private struct Split {
  let primary: TemporaryCluster
  let standby: TemporaryCluster
  let service: ClusterService
  let connection: LineConnection
  private let folder: TemporaryFolder

  private var host: String { folder.path + "/host" }

  init() throws {
    primary = try TemporaryCluster()
    standby = try primary.makeStandby(named: "n2")
    try primary.awaitStandbys(1)
    folder = try TemporaryFolder()
    let host = folder.path + "/host"
    try FileManager.default.createSymbolicLink(atPath: host, withDestinationPath: primary.path)
    service = try ClusterService("on the old one", on: [primary], through: host)
    connection = try LineConnection(service.socket)
    try connection.demand("schema.define", #"{"schema":\#(ClusterWriter.schema)}"#)
    try connection.demand("insert", insertion("common"))
  }

  /// Has the standby take over with all commits, while the primary lives on.
  func promote() throws {
    let end = try primary.sql("SELECT pg_current_wal_flush_lsn()")
    try expectSoon("the standby hasn't got the commits") {
      try primary.sql("SELECT bool_and(flush_lsn >= '\(end)') FROM pg_stat_replication") == "t"
    }
    try standby.promote()
  }

  /// Ends sessions of the service at the old primary, and has new ones come to the new primary.
  func turn(_ names: [String], keeping other: ClusterService? = nil) throws {
    if try FileManager.default.destinationOfSymbolicLink(atPath: host) == primary.path {
      try FileManager.default.removeItem(atPath: host)
      try FileManager.default.createSymbolicLink(atPath: host, withDestinationPath: standby.path)
    }
    let list = names.map { "'\($0)'" }.joined(separator: ",")
    // The service was the first to connect.
    let limit = other == nil ? "" : "ORDER BY backend_start LIMIT \(names.count)"
    try primary.sql(
      """
      SELECT pg_terminate_backend(pid) FROM (SELECT pid FROM pg_stat_activity
      WHERE application_name IN (\(list)) \(limit)) AS s
      """
    )
  }

  /// The processes of the new primary that serve feeds.
  func sessions() throws -> Set<String> {
    let sql = "SELECT pid FROM pg_stat_activity WHERE application_name = 'depotd news'"
    return Set(try standby.sql(sql).split(separator: "\n").map { String($0) })
  }

  /// The content of the new primary, as hashes.
  func content() throws -> String {
    try standby.sql(
      """
      SELECT (SELECT h::text FROM depot.head AS h),
        (SELECT md5(string_agg(md5(p::text), '' ORDER BY number)) FROM depot.page AS p),
        (SELECT md5(string_agg(md5(c::text), '' ORDER BY sequence, part)) FROM depot.commit AS c)
      """
    )
  }

  func expectRefusal() throws { try expectEnd(of: service, connection) }
}

/// Expects that a write is refused, that the service ends, and that it says why to its log and to
/// each session: as the answer of all that waits, and then as the last frame.
private func expectEnd(of service: ClusterService, _ connection: LineConnection) throws {
  let watcher = try LineConnection(service.socket)
  let watch = try watcher.begin("watch", #"{"count":{"entity":"Item"}}"#)
  try expectSoon("the watch doesn't begin") { try watcher.receive()["next"] != nil }
  let write = try connection.begin("insert", insertion("refused"))
  for (session, call, effect) in [(connection, write, "unknown"), (watcher, watch, "none")] {
    let answer = try session.end(of: call)
    let last = try session.receive()
    #expect(last["id"] == nil)
    for (error, effect) in [(answer.error, effect), (last["err"], "unknown")] {
      #expect(error?["code"]?.string == "storage.corrupt")
      #expect(error?["message"]?.string?.contains("has lost commits") == true)
      #expect(error?["effect"]?.string == effect)
    }
    #expect(throws: DepotError.self) { try session.receive() }
  }
  try expectSoon("the service goes on: \(service.log.suffix(500))") { !service.isRunning }
  #expect(service.log.contains("storage.corrupt"), "\(service.log.suffix(800))")
  #expect(service.log.contains("has lost commits"), "\(service.log.suffix(800))")
}
