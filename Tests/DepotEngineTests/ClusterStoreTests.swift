import DepotProtocol
import DepotSQLite
import Synchronization
import TestSupport
import Testing

@testable import DepotEngine

/// A store in a database that two services share, without their sockets.
@Suite(
  .enabled(if: TemporaryCluster.isAvailable),
  .serialized,
  .cluster()
)
struct ClusterStoreTests {
  @Test func `each service has what the other has committed, and is told of it`() async throws {
    try await withServices { first, second in
      second.store.interest.raise()
      try await first.run(.defineSchema(.items, isDryRun: false))
      for number in 0..<10 { try await first.run(.item("a\(number)")) }
      #expect(try await poll { try second.names().count == 10 ? true : nil } == true)
      let told = try await poll {
        let rows = second.told.all.flatMap { $0.tables["Item"]?.rows ?? [] }
        return rows.count == 10 ? rows.map(\.identifier) : nil
      }
      #expect(told == Array(1...10))
      #expect(second.told.all.map(\.token) == Array(1...11))
    }
  }

  @Test func `what a service takes in while it deletes history is told at once`() async throws {
    try await withServices { first, second in
      second.store.interest.raise()
      try await first.run(.defineSchema(.items, isDryRun: false))
      for number in 1...20 {
        try await first.run(.item("\(number)"))
        second.store.purgeHistory()
        let isTold = try await poll { second.told.all.count == number + 1 ? true : nil }
        try #require(isTold == true, "commit \(number + 1) isn't told")
      }
    }
  }

  @Test func `identifiers, tokens, and unique values go on from service to service`() async throws {
    try await withServices { first, second in
      try await first.run(.defineSchema(.items, isDryRun: false))
      var tokens: [String] = []
      for number in 0..<20 {
        let answer = try await (number % 2 == 0 ? first : second).run(.item("n\(number)"))
        #expect(answer.contains("[\(number + 1)]"), "\(answer)")
        tokens.append(try #require(answer.firstMatch(of: /"token":"([^"]+)"/)).output.1.description)
      }
      // One epoch, and neighbouring numbers.
      let places = tokens.map { $0.split(separator: "-") }
      #expect(Set(places.map { $0.dropLast().joined() }).count == 1)
      #expect(places.compactMap { Int($0.last ?? "") } == Array(2...21))
      #expect(try await poll { try first.names().count == 20 ? true : nil } == true)
    }
  }

  @Test func `a write of 100 rows waits for the cluster three times at most, and a read never`()
    async throws
  {
    try await withServices { first, _ in
      try await first.run(.defineSchema(.items, isDryRun: false))
      try await first.run(.item("a"))
      let before = first.roundTrips
      try await first.run(.items((0..<100).map { "row \($0)" }))
      let after = first.roundTrips
      // The turn, the commit, and the answer to what was announced before.
      #expect(1...3 ~= after - before)
      #expect(try first.names().count == 101)
      #expect(first.roundTrips == after)
    }
  }

  @Test func `a write looks for the commits that are new, not through all there are`() async throws
  {
    try await withServices { first, _ in
      try await first.run(.defineSchema(.items, isDryRun: false))
      let cluster = try TemporaryCluster.shared
      let third = try Service(cluster, first.database, first.folder, "third")
      for number in 0..<60 { try await third.run(.item("\(number)")) }
      await third.store.close()
      // The server counts a session's work when that ends.
      let read = try await poll {
        let counts = try cluster.sql(
          """
          SELECT idx_scan || ' ' || seq_tup_read FROM pg_stat_user_tables WHERE relname = 'commit'
          """,
          database: first.database
        ).split { !$0.isNumber }.compactMap { Int($0) }
        return counts.count == 2 && counts[0] + counts[1] >= 60 ? counts[1] : nil
      }
      #expect(try #require(read) < 200)
    }
  }

  @Test func `a service that comes later has all, also what went before the last base`()
    async throws
  {
    try await withServices { first, second in
      try await first.run(.defineSchema(.items, isDryRun: false))
      let long = String(repeating: "x", count: 90_000)
      for round in 0..<3 {
        try await first.run(.items((0..<10).map { "\(round)-\($0) \(long)" }))
      }
      let cluster = try TemporaryCluster.shared
      #expect(try await poll { try first.base() > 1 ? true : nil } == true)
      try await first.run(.item("the last"))
      let third = try Service(cluster, first.database, first.folder, "third")
      #expect(try third.names().count == 31)
      #expect(try await poll { try second.names().count == 31 ? true : nil } == true)
      let connection = try Connection(path: third.path, access: .reader)
      #expect(try connection.texts("PRAGMA integrity_check") == ["ok"])
      await third.store.close()
    }
  }

  @Test func `a small write has its turn beside large commits, which it takes in`() async throws {
    try await withServices { first, second in
      try await first.run(.defineSchema(.items, isDryRun: false))
      var generator = SeededGenerator(seed: 7)
      let tail = (0..<10_000).map { _ in "\(generator.next() % 10)" }.joined()
      let large = (0..<100).map { part in
        DepotProtocol.Operation.items((0..<20).map { "\(part)-\($0) \(tail)" })
      }
      let writes = large.map { operation in Task { try await first.run(operation) } }
      for number in 0..<3 { try await second.run(.item("\(number)")) }
      #expect(try second.names().count < 2000, "the small ones waited for all large ones")
      for write in writes { _ = try await write.value }
      #expect(try await poll { try second.names() == first.names() ? true : nil } == true)
      let connection = try Connection(path: second.path, access: .reader)
      #expect(try connection.texts("PRAGMA integrity_check") == ["ok"])
    }
  }

  @Test
  func `a copy that takes long to make has all, however often the pages are brought up to date`()
    async throws
  {
    try await withServices(baseStep: 20_000) { first, second in
      try await first.run(.defineSchema(.items, isDryRun: false))
      let path = first.folder.path + "/slow"
      let home = try ClusterCopy(address: first.address, path: path).open { _ in }
      for round in 0..<4 {
        let base = try first.base()
        for number in 0..<100 {
          let name = "\(round)-\(number) \(String(repeating: "x", count: 200))"
          try await (number % 2 == 0 ? first : second).run(.item(name))
        }
        #expect(try await poll { try first.base() > base ? true : nil } == true)
      }
      let copy = try Connection(path: path, access: .writer)
      try copy.execute("PRAGMA journal_mode = WAL")
      try home.begin(on: copy)
      #expect(try copy.texts("SELECT count(*) FROM e_Item") == ["400"])
      // What was kept for it goes with one of the next bases.
      var number = 0
      while try number < 2000 && first.firstCommit() <= home.sequence {
        try await first.run(.item("last \(number)"))
        number += 1
      }
      #expect(number < 2000)
    }
  }

  @Test func `the pages in the cluster are all there, however fast others are to be written`()
    async throws
  {
    let cluster = try TemporaryCluster.shared
    let folder = try TemporaryFolder()
    let database = "d\(UInt32.random(in: 0 ... .max))"
    try cluster.sql("CREATE DATABASE \(database)")
    let first = try Service(cluster, database, folder, "first", 10_000)
    try await first.run(.defineSchema(.items, isDryRun: false))
    for round in 0..<2 {
      for size in [400, 40, 1, 1, 1] {
        let long = String(repeating: "x", count: size * 1000)
        try await first.run(
          .items(
            (0..<10).map { "\(round)-\(size)-\($0)-\(UInt32.random(in: 0 ... .max)) \(long)" }
          )
        )
      }
      let later = try Service(cluster, first.database, first.folder, "later\(round)")
      #expect(try later.names().count == 50 * (round + 1))
      let connection = try Connection(path: later.path, access: .reader)
      #expect(try connection.texts("PRAGMA integrity_check") == ["ok"])
      await later.store.close()
    }
    await first.store.close()
  }

  @Test func `an epoch begins on a new timeline, whatever is committed there first`() async throws {
    try await withServices { first, second in
      try await first.run(.defineSchema(.items, isDryRun: false))
      let before = try await Self.epoch(second.run(.item("a")))
      // As after a restore, or when a standby has taken over.
      try TemporaryCluster.shared.sql(
        "UPDATE depot.head SET timeline = 'restored'",
        database: first.database
      )
      try await first.run(.compact(store: nil))
      let after = try await Self.epoch(second.run(.item("b")))
      #expect(after != before)
      #expect(try await Self.epoch(first.run(.item("c"))) == after)
    }
  }

  private static func epoch(_ answer: String) throws -> Substring {
    try #require(answer.firstMatch(of: /"token":"[^-]+-([^-]+)-/)).output.1
  }

  @Test func `the history's bytes are counted, however services take turns`() async throws {
    try await withServices { first, second in
      try await first.run(.defineSchema(.items, isDryRun: false))
      try await first.run(.item("0"))
      for number in 0..<60 {
        let name = "\(number)\(String(repeating: "x", count: 3000))"
        let update = try Operation(
          "update",
          #"{"entity":"Item","ids":[1],"set":{"name":"\#(name)"}}"#
        )
        try await (number % 2 == 0 ? first : second).run(update)
      }
      try await first.run(.item("1"))
      let connection = try Connection(path: first.path, access: .reader)
      #expect(try connection.number(.historyBytes) > 100_000)
    }
  }

  @Test func `what a service began to upload is removed when it has ended, and not before`()
    async throws
  {
    try await withServices { first, second in
      let text = Attribute(name: "text", type: .string, isOptional: true, options: .externalStorage)
      let photo = Entity(name: "Photo", attributes: [text])
      try await first.run(.defineSchema(Schema(entities: [photo]), isDryRun: false))
      let insert = try Operation("insert", #"{"entity":"Photo","columns":["text"],"rows":[["t"]]}"#)
      try await first.run(insert)
      let third = try Service(TemporaryCluster.shared, first.database, first.folder, "third")
      let part = try Operation(
        "blob.write",
        #"{"entity":"Photo","id":1,"attribute":"text","data":"ab","upload":"u"}"#
      )
      for service in [second, third] { try await service.run(part) }
      let reader = try Connection(path: first.path, access: .reader)
      func uploads() async throws -> Int {
        first.store.purgeHistory()
        try await first.run(insert)
        return try reader.texts("SELECT connection FROM depot_upload").count
      }
      #expect(try await uploads() == 2)
      await third.store.close()
      #expect(try await poll { try await uploads() == 1 ? true : nil } == true)
    }
  }

  @Test func `a store that is opened again at once is whole, whatever is still being written`()
    async throws
  {
    let cluster = try TemporaryCluster.shared
    let folder = try TemporaryFolder()
    let database = "d\(UInt32.random(in: 0 ... .max))"
    try cluster.sql("CREATE DATABASE \(database)")
    for round in 0..<6 {
      let service = try Service(cluster, database, folder, "same", 10_000)
      if round == 0 { try await service.run(.defineSchema(.items, isDryRun: false)) }
      #expect(try service.names().count == 400 * round)
      let long = String(repeating: "x", count: 20_000)
      for part in 0..<4 {
        try await service.run(.items((0..<100).map { "\(round)-\(part)-\($0) \(long)" }))
      }
      await service.store.close()
    }
  }

  // MARK: Services

  private func withServices(
    baseStep: Int = 1_000_000,
    _ body: (Service, Service) async throws -> Void
  ) async throws {
    let cluster = try TemporaryCluster.shared
    let folder = try TemporaryFolder()
    let database = "d\(UInt32.random(in: 0 ... .max))"
    try cluster.sql("CREATE DATABASE \(database)")
    let first = try Service(cluster, database, folder, "first", baseStep)
    let second = try Service(cluster, database, folder, "second", baseStep)
    try await body(first, second)
    await first.store.close()
    await second.store.close()
  }

  /// The changes that a service has told of.
  private final class Told: Sendable {
    private let changes = Mutex<[CommittedChanges]>([])

    var all: [CommittedChanges] { changes.withLock { $0 } }

    func add(_ more: [CommittedChanges]) { changes.withLock { $0 += more } }
  }

  private final class Service: Sendable {
    let store: Store
    let answers = Answers()
    let told = Told()
    let path: String
    let address: ClusterAddress
    let database: String
    let folder: TemporaryFolder
    private let next = Mutex<UInt64>(0)

    init(
      _ cluster: TemporaryCluster,
      _ database: String,
      _ folder: TemporaryFolder,
      _ name: String,
      _ baseStep: Int = 1_000_000
    ) throws {
      self.folder = folder
      self.database = database
      path = folder.path + "/\(name)"
      var configuration = StoreConfiguration(path: path)
      var address = try ClusterAddress(cluster.address(database: database))
      address.baseStep = baseStep
      self.address = address
      configuration.cluster = address
      let (answers, told) = (answers, told)
      store = try Store(
        configuration: configuration,
        onCommit: { $0.forEach(answers.add) },
        onChanges: told.add,
        onFatal: { Issue.record("\($0)") }
      )
    }

    @discardableResult
    func run(_ operation: DepotProtocol.Operation) async throws -> String {
      let token = next.withLock { next in
        next += 1
        return next
      }
      let request = WriteRequest.test(token, operation)
      request.connection = store.own(1)
      store.submit([request])
      let answer = try await answers.wait(for: token)
      try #require(!answer.contains("\"err\""), "\(answer)")
      return answer
    }

    /// The commit as of which the cluster has all pages.
    func base() throws -> Int64 { try number("SELECT base FROM depot.head") }

    /// The first commit that the cluster still has.
    func firstCommit() throws -> Int64 { try number("SELECT min(sequence) FROM depot.commit") }

    private func number(_ sql: String) throws -> Int64 {
      let text = try TemporaryCluster.shared.sql(sql, database: database)
      return try #require(Int64(text.filter(\.isNumber)))
    }

    /// How often the store's writes have waited for the cluster.
    var roundTrips: Int { store.statistics.cluster?.roundTrips ?? 0 }

    func names() throws -> [String] {
      try Connection(path: path, access: .reader).texts("SELECT a_name FROM e_Item ORDER BY id")
    }
  }
}
