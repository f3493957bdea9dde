import DepotProtocol
import Foundation
import TestSupport
import Testing

@testable import DepotEngine

/// Random queries that are watched while random changes are committed.
@Suite struct LivePropertyTests {
  private static let seeds: Range<UInt64> = TestSupport.seeds(24)

  @Test func `changes applied to a snapshot give what a fresh fetch gives`() async throws {
    var total = LiveScenario.Counts()
    for seed in Self.seeds {
      do {
        let counts = try await LiveScenario.run(seed)
        total.commits += counts.commits
        total.changes += counts.changes
        total.resumes += counts.resumes
        total.values += counts.values
      } catch {
        Issue.record("seed \(seed): \(error)")
      }
    }
    // That nothing happens at all would prove little.
    #expect(total.commits > Self.seeds.count && total.changes > Self.seeds.count / 2, "\(total)")
    #expect(total.values > Self.seeds.count / 2, "\(total)")
  }
}

/// A random store with queries that are watched.
private struct LiveScenario {
  struct Counts {
    var commits = 0
    var changes = 0
    var resumes = 0
    var values = 0
  }

  private struct Watched {
    var request: WatchRequest
    var connection: Int64
    var client: LiveClient?
    var rows = LiveRows()
    var isSlow: Bool

    var fetch: FetchRequest? { if case .fetch(let fetch) = request.subject { fetch } else { nil } }
  }

  /// A count or groups.
  private struct WatchedValue {
    var subject: WatchRequest.Subject
    var connection: Int64
    var client: LiveClient
    /// What the client knows.
    var rows: [[JSONValue]] = []
    var part: [[JSONValue]] = []

    mutating func apply(_ frame: JSONValue) {
      part += frame["next"]?.array?.compactMap(\.array) ?? []
      if frame["kind"]?.string == "snapshot" || frame["more"] != nil { return }
      rows = part
      part = []
    }
  }

  private let seed: UInt64
  private var random: ValueGenerator
  private let schema: Schema
  private let live: LiveFixture
  private var identifiers: [String: [Int64]] = [:]
  private var watched: [Watched] = []
  private var values: [WatchedValue] = []
  private var counts = Counts()

  static func run(_ seed: UInt64) async throws -> Counts {
    var random = ValueGenerator(seed: seed)
    let schema = QueryWorld.schema(&random)
    var counts = Counts()
    try await withStorePath { path in
      guard
        let live = try await unlessRefused({
          let patience: UInt64 = seed.isMultiple(of: 3) ? 0 : 2_000_000
          return try await LiveFixture(path: path, schema: schema, patience: patience)
        })
      else { return }
      var scenario = LiveScenario(seed: seed, random: random, schema: schema, live: live)
      do {
        try await scenario.run()
      } catch {
        await live.close()
        throw error
      }
      counts = scenario.counts
      await live.close()
    }
    return counts
  }

  private init(seed: UInt64, random: ValueGenerator, schema: Schema, live: LiveFixture) {
    self.seed = seed
    self.random = random
    self.schema = schema
    self.live = live
  }

  private mutating func run() async throws {
    for _ in 0..<20 { try await insert() }
    for number in 0..<12 { try await beginWatching(Int64(number + 100)) }
    for number in 0..<8 { try await beginWatchingValue(Int64(number + 200)) }
    for _ in 0..<15 {
      for _ in 0..<random.int(1...4) { try await commit() }
      try await disconnectSome()
      for index in watched.indices where watched[index].isSlow && random.chance(1, in: 2) {
        watched[index].client?.watch?.grant(random.int(1...20))
      }
      for index in watched.indices where !watched[index].isSlow { try await check(index) }
      for index in values.indices.reversed() { try await checkValue(index) }
    }
    for index in watched.indices {
      watched[index].client?.watch?.grant(100_000)
      try await check(index)
    }
  }

  // MARK: - Queries

  private mutating func beginWatching(_ connection: Int64) async throws {
    let entity = random.pick(schema.entities)
    var generator = ExpressionGenerator(schema, entity: entity.name, random)
    var fetch = FetchRequest(entity: entity.name)
    if generator.random.chance(4, in: 5) { fetch.predicate = generator.predicate(2) }
    for _ in 0..<generator.random.int(0...2) {
      let type = generator.random.pick(AttributeType.scalars.filter { $0 != .data })
      fetch.sort.append(
        SortKey(generator.value(type, 1), descending: generator.random.chance(1, in: 2))
      )
    }
    random = generator.random
    if random.chance(1, in: 3) { fetch.limit = random.int(0...5) }
    if random.chance(1, in: 6) { fetch.offset = random.int(0...3) }
    fetch.includesSubentities = random.chance(4, in: 5)
    let relationships = schema.lineage(of: entity).flatMap(\.relationships).map(\.name)
    if random.chance(2, in: 3) {
      let paths = schema.fields(of: entity).map(\.path).filter { !relationships.contains($0) }
      fetch.select = random.some(of: paths + relationships)
    }
    if random.chance(1, in: 5) { fetch.prefetch = random.some(of: relationships) }
    var item = Watched(
      request: WatchRequest(fetch),
      connection: connection,
      isSlow: random.chance(1, in: 4)
    )
    item.client = LiveClient()
    item.client?.begin(
      item.request,
      on: live.live,
      connection: connection,
      allowance: item.isSlow ? 2 : nil
    )
    if item.isSlow {
      try await expectSoon { item.client?.kinds.contains { $0 == "live" || $0 == "err" } == true }
    } else {
      try await live.settle(connection)
    }
    // Some expressions can't be sorted by.
    if item.client?.kinds.contains("err") == false { watched.append(item) }
  }

  private mutating func beginWatchingValue(_ connection: Int64) async throws {
    let entity = random.pick(schema.entities)
    var generator = ExpressionGenerator(schema, entity: entity.name, random)
    let predicate = generator.random.chance(4, in: 5) ? generator.predicate(2) : nil
    let subject: WatchRequest.Subject
    if generator.random.chance(1, in: 3) {
      subject = .count(CountRequest(entity: entity.name, predicate: predicate))
    } else {
      var request = AggregateRequest(entity: entity.name, predicate: predicate)
      for number in 0..<generator.random.int(0...2) {
        let type = generator.random.pick([AttributeType.int64, .string, .bool, .double])
        request.keys.append(
          AggregateRequest.Column(name: "k\(number)", expression: generator.value(type, 1))
        )
      }
      for (number, aggregate) in [
        QueryExpression.Aggregate.count, .sum, .average, .count, .max,
      ].prefix(generator.random.int(1...5)).enumerated() {
        let isOfRows = number == 0
        request.values.append(
          AggregateRequest.Value(
            name: "v\(number)",
            aggregate,
            of: isOfRows ? nil : generator.value(.int64, 1)
          )
        )
      }
      subject = .aggregate(request)
    }
    random = generator.random
    var request = WatchRequest(subject)
    request.echoes = true
    let item = WatchedValue(
      subject: subject,
      connection: connection,
      client: try await live.watch(request, connection: connection)
    )
    if !item.client.kinds.contains("err") { values.append(item) }
  }

  private mutating func checkValue(_ index: Int) async throws {
    try await live.settle(values[index].connection)
    let frames = values[index].client.take()
    for frame in frames where frame["err"] == nil { values[index].apply(frame) }
    let operation: DepotProtocol.Operation =
      switch values[index].subject {
      case .count(let request): .count(request)
      case .aggregate(let request): .aggregate(request)
      default: .ping
      }
    // Some sums grow too large, perhaps only for a moment, and end the watch.
    if frames.contains(where: { $0["err"]?["code"] == .string("request.overflow") }) {
      values.remove(at: index)
      return
    }
    let expected = try await live.rows(of: operation)
    counts.values += frames.count { $0["kind"] == .string("change") }
    if values[index].rows == expected { return }
    Issue.record(
      "seed \(seed): \(values[index].subject)\nhas \(values[index].rows)\nnot \(expected)\n\(frames)"
    )
    values.remove(at: index)
  }

  private mutating func disconnectSome() async throws {
    for index in watched.indices where random.chance(1, in: 12) && !watched[index].isSlow {
      guard let client = watched[index].client else { continue }
      client.watch?.control.cancel()
      client.watch?.wake()
      try await expectSoon { client.kinds.last == "err" }
      for frame in client.take() where frame["err"] == nil {
        try watched[index].rows.apply(frame)
      }
      for _ in 0..<random.int(0...3) { try await commit() }
      guard let token = watched[index].rows.token else { continue }
      var request = watched[index].request
      request.since = try HistoryToken(token)
      let next = try await live.watch(request, connection: watched[index].connection)
      if next.kinds.first == "snapshot" { watched[index].rows = LiveRows() }
      if next.kinds.first == "resume" { counts.resumes += 1 }
      watched[index].client = next
    }
  }

  private mutating func check(_ index: Int) async throws {
    let item = watched[index]
    guard let fetch = item.fetch, let client = item.client else { return }
    try await live.settle(item.connection)
    let frames = client.take()
    counts.changes += frames.count { $0["kind"] == .string("change") }
    do {
      for frame in frames { try watched[index].rows.apply(frame) }
    } catch {
      Issue.record("seed \(seed): \(error)\n\(fetch)\n\(frames)")
      watched[index].client = nil
      return
    }
    let expected = try await live.fetch(fetch)
    // The version is promised to be new only where everything is selected.
    let from = fetch.select == nil ? 1 : 2
    let rows = watched[index].rows.rows
    let isSame =
      rows.count == expected.count
      && zip(rows, expected).allSatisfy { $0[0] == $1[0] && $0[from...] == $1[from...] }
    if isSame { return }
    Issue.record("seed \(seed): \(fetch)\nhas \(rows)\nnot \(expected)\n\(frames)")
    watched[index].client = nil
  }

  // MARK: - Changes

  private mutating func commit() async throws {
    switch random.int(0...9) {
    case 0, 1, 2: try await insert()
    case 3: try await delete()
    default: try await update()
    }
  }

  private mutating func columns(of entity: Entity) -> [(String, Value)] {
    var result: [(String, Value)] = []
    for field in schema.fields(of: entity)
    where field.relationship == nil && !field.isPresence
      && !field.attribute.options.contains(.ephemeral)
    {
      let isNull = field.attribute.isOptional && random.chance(1, in: 4)
      result.append((field.path, isNull ? .null : random.value(of: field.attribute)))
    }
    for relationship in schema.lineage(of: entity).flatMap(\.relationships)
    where random.chance(2, in: 3) {
      let destination = schema[relationship.destination]
      let root = destination.map { schema.lineage(of: $0)[0].name } ?? ""
      let targets = identifiers[root] ?? []
      if relationship.isToMany {
        result.append(
          (relationship.name, .list(random.some(of: targets).prefix(3).map(Value.int64)))
        )
      } else {
        let target = targets.randomElement(using: &random)
        result.append((relationship.name, target.map(Value.int64) ?? .null))
      }
    }
    return result
  }

  private mutating func insert() async throws {
    let entity = random.pick(schema.entities)
    guard !entity.isAbstract else { return }
    let columns = columns(of: entity)
    let request = InsertRequest(
      entity: entity.name,
      columns: columns.map(\.0),
      rows: RowBatch([columns.map(\.1)])
    )
    guard let result = try await unlessRefused({ try await live.fixture.write(.insert(request)) }),
      let identifier = result["ids"]?.array?.first?.int64
    else { return }
    counts.commits += 1
    identifiers[schema.lineage(of: entity)[0].name, default: []].append(identifier)
  }

  private mutating func update() async throws {
    let entity = random.pick(schema.entities)
    let root = schema.lineage(of: entity)[0].name
    guard let row = identifiers[root]?.randomElement(using: &random) else { return }
    let columns = random.some(of: columns(of: entity))
    guard !columns.isEmpty else { return }
    let request = UpdateRequest(
      entity: entity.name,
      rows: .identifiers([row]),
      columns: columns.map(\.0),
      values: RowBatch([columns.map(\.1)])
    )
    let result = try await unlessRefused { try await live.fixture.write(.update(request)) }
    if result != nil { counts.commits += 1 }
  }

  private mutating func delete() async throws {
    let entity = random.pick(schema.entities)
    let root = schema.lineage(of: entity)[0].name
    guard let row = identifiers[root]?.randomElement(using: &random) else { return }
    let request = DeleteRequest(entity: root, rows: .identifiers([row]))
    let result = try await unlessRefused { try await live.fixture.write(.delete(request)) }
    guard result != nil else { return }
    counts.commits += 1
    identifiers[root]?.removeAll { $0 == row }
  }
}
