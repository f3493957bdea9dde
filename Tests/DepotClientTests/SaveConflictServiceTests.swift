import DepotClient
import DepotProtocol
import FoundationEssentials
import Synchronization
import Testing

/// Two clients of one service that save the same records.
@Suite struct SaveConflictServiceTests {
  private let service: RealService
  private let one: Client
  private let two: Client

  init() async throws {
    service = try RealService()
    one = try await service.client()
    two = try await service.client()
    try await one.define(Schema(for: Town.self))
  }

  /// Inserts a town and returns it as both clients fetch it.
  private func town() async throws -> Town {
    var save = Save()
    let identifier = save.insert(Town(name: "Oslo", people: 100, code: "o"))
    return try await one.get(try await one.save(save)[identifier])
  }

  @Test func `one of two saves is told who was first, and when`() async throws {
    let old = try await town()
    var new = old
    new.people = 200
    var first = Save()
    try first.update(from: old, to: new)
    let result = try await one.save(first)
    #expect(result.token != nil)
    #expect(result.versions == ["Town": [old.id?.value ?? 0: 2]])
    var second = Save()
    try second.update(old, set: [.set(\.people, to: 300)])
    let error = await #expect(throws: DepotError.self) { try await two.save(second) }
    let conflict = try #require(error?.conflicts.first)
    #expect(error?.code == .merge)
    #expect(try conflict.value(of: \Town.people, in: .base) == 100)
    #expect(try conflict.value(of: \Town.people, in: .store) == 200)
    #expect(try conflict.value(of: \Town.people, in: .client) == 300)
    #expect(try conflict.isContested(\Town.people))
    #expect(try !conflict.isContested(\Town.name))
    let origin = try #require(conflict.changedBy["people"])
    #expect(origin.token == result.token?.description)
    #expect(origin.at != nil)
    #expect(origin.process != nil)
  }

  @Test func `a resolver merges until its save is stored`() async throws {
    let old = try await town()
    let calls = Mutex(0)
    var save = Save()
    try save.update(old, set: [.set(\.people, to: 105), .set(\.name, to: "Kristiania")])
    var other = Save()
    try other.update(old, set: [.set(\.people, to: 110)])
    try await one.save(other)
    let result = try await two.save(save, attempts: 5) { conflict in
      let count = calls.withLock { count in
        count += 1
        return count
      }
      // The first answer is late: somebody else was faster again.
      if count == 1 {
        let now = try await one.get(Identifier<Town>(conflict.identifier))
        var faster = Save()
        try faster.update(now, set: [.set(\.people, to: now.people + 1)])
        try await one.save(faster)
      }
      let stored = try conflict.value(of: \Town.people, in: .store) ?? 0
      return try .set([.set(\Town.people, to: stored + 5)])
    }
    #expect(calls.withLock { $0 } == 2)
    #expect(result.updated == 1)
    let stored = try await one.get(Identifier<Town>(old.id?.value ?? 0))
    #expect(stored.people == 116)
    #expect(stored.name == "Kristiania")
    #expect(stored.version == 4)
  }

  @Test func `a resolver is asked a bounded number of times`() async throws {
    let old = try await town()
    var other = Save()
    try other.update(old, set: [.set(\.people, to: 1)])
    try await one.save(other)
    var save = Save()
    try save.update(old, set: [.set(\.people, to: 2)])
    let calls = Mutex(0)
    let error = await #expect(throws: DepotError.self) {
      try await two.save(save, attempts: 3) { conflict in
        calls.withLock { $0 += 1 }
        let now = try await one.get(Identifier<Town>(conflict.identifier))
        var faster = Save()
        try faster.update(now, set: [.set(\.people, to: now.people + 1)])
        try await one.save(faster)
        return .client
      }
    }
    #expect(error?.code == .merge)
    #expect(calls.withLock { $0 } == 2)
  }

  @Test func `a resolver gives up, leaves out, deletes, and chooses other unique values`()
    async throws
  {
    let old = try await town()
    var other = Save()
    try other.update(old, set: [.set(\.people, to: 1)])
    try await one.save(other)
    var save = Save()
    try save.update(old, set: [.set(\.people, to: 2)])
    let new = save.insert(Town(name: "Ås", people: 3, code: "o"))
    await #expect(throws: DepotError.self) { try await two.save(save) { _ in .fail } }
    let result = try await two.save(save) { conflict in
      guard conflict.kind == .unique else { return .store }
      return try .set([.set(\Town.code, to: "å")])
    }
    #expect(try await one.get(result[new]).code == "å")
    #expect(try await one.get(Identifier<Town>(old.id?.value ?? 0)).people == 1)
    var deletion = Save()
    try deletion.delete(old)
    await #expect(throws: DepotError.self) { try await two.save(deletion) }
    #expect(try await two.save(deletion) { _ in .client }.deleted == 1)
  }

  @Test func `policies merge what records were fetched with`() async throws {
    let old = try await town()
    var other = Save()
    try other.update(old, set: [.set(\.people, to: 1)])
    try await one.save(other)
    var save = Save(policy: .mergeByPropertyStoreTrump)
    try save.update(old, set: [.set(\.people, to: 2), .set(\.name, to: "Viken")])
    let result = try await two.save(save, key: "once")
    #expect(result.conflicts.map(\.decision) == [.merged])
    #expect(result.conflicts.first?.properties == ["people"])
    #expect(try await two.save(save, key: "once") == result)
    let stored = try await one.get(Identifier<Town>(old.id?.value ?? 0))
    #expect(stored.people == 1)
    #expect(stored.name == "Viken")
    var reading = Save()
    try reading.require(unchanged: old)
    reading.insert(Town(name: "Moss", people: 1, code: "m"))
    let error = await #expect(throws: DepotError.self) { try await two.save(reading) }
    #expect(error?.code == .read)
  }

  @Test func `a record that wasn't fetched can't be compared`() throws {
    var save = Save()
    let town = Town(name: "x", people: 1, code: "x")
    let error = #expect(throws: DepotError.self) { try save.delete(town) }
    #expect(error?.code == .usage)
  }
}

private struct Town: Record, Hashable {
  var id: Identifier<Town>?
  var version: Int64 = 0
  var name: String
  var people: Int64
  var code: String

  static let entity = "Town"
  static let attributes: RecordAttributes<Town> = [
    .identifier(\.id), .version(\.version), .init(\.name, "name"), .init(\.people, "people"),
    .init(\.code, "code", isUnique: true),
  ]

  init(name: String, people: Int64, code: String) {
    self.name = name
    self.people = people
    self.code = code
  }

  init(from row: inout RowReader) throws(DepotError) {
    id = Identifier(row.identifier)
    version = row.version
    name = try row.next()
    people = try row.next()
    code = try row.next()
  }

  func write(to row: inout RowWriter) {
    row.append(name)
    row.append(people)
    row.append(code)
  }
}
