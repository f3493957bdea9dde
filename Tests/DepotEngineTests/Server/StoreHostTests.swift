import DepotEngine
import DepotLinux
import DepotProtocol
import Foundation
import Testing

@testable import DepotServer

/// A store that is taken out of service and put back, as a migration does it.
@Suite struct StoreHostTests {
  private static let schema = Schema(
    entities: [Entity(name: "A", attributes: [Attribute(name: "n", type: .int64)])]
  )

  private static let insert = DepotProtocol.Operation.insert(
    InsertRequest(entity: "A", columns: ["n"], rows: RowBatch([[.int64(1)]]))
  )

  @Test func `writes that were accepted are answered, then the file is free for somebody else`()
    throws
  {
    let place = try HostFixture()
    place.add(.defineSchema(Self.schema, isDryRun: false), token: 1)
    place.add(Self.insert, token: 2)
    #expect(throws: DepotError.self, "the lock must be held before") {
      try Store.check(path: place.host.configuration.path)
    }
    place.suspend()
    #expect(place.outcomes.map(\.token) == [1, 2])
    #expect(place.outcomes.map(\.isSuccess) == [true, true])
    #expect(place.host.reader == nil)
    #expect(place.host.refusal.code == .migrating)
    #expect(try Store.check(path: place.host.configuration.path) == [])
  }

  @Test func `it serves again what the file then holds`() throws {
    let place = try HostFixture()
    place.add(.defineSchema(Self.schema, isDryRun: false), token: 1)
    place.host.submit()
    place.run { place.outcomes.count == 1 }
    let generation = place.host.catalog.generation
    place.suspend()
    var isOpen = false
    place.host.reopen { result in
      #expect(throws: Never.self) { try result.get() }
      isOpen = true
    }
    place.run { isOpen }
    #expect(place.host.catalog.generation == generation)
    place.add(Self.insert, token: 2)
    place.host.submit()
    place.run { place.outcomes.count == 2 }
    #expect(try place.count().contains(#""count":1"#))
    place.suspend()
  }

  @Test func `a store that can't be opened again says why, and can be tried again`() throws {
    let place = try HostFixture()
    place.suspend()
    let path = place.host.configuration.path
    try FileManager.default.moveItem(atPath: path, toPath: path + ".away")
    try Data(repeating: 0x20, count: 4096).write(to: URL(filePath: path))
    var results: [Result<Void, DepotError>] = []
    place.host.reopen { results.append($0) }
    place.run { results.count == 1 }
    #expect(throws: DepotError.self) { try results[0].get() }
    #expect(place.host.refusal.code == .corrupt)
    try FileManager.default.removeItem(atPath: path)
    try FileManager.default.moveItem(atPath: path + ".away", toPath: path)
    place.host.reopen { results.append($0) }
    place.run { results.count == 2 }
    #expect(throws: Never.self) { try results[1].get() }
    place.suspend()
  }

  @Test func `a suspension while it is being opened closes it again`() throws {
    let place = try HostFixture()
    place.suspend()
    var isClosed = false
    place.host.reopen { _ in }
    place.host.suspend(DepotError(.draining, "x")) { isClosed = true }
    place.run { isClosed }
    #expect(!place.host.isActive)
    #expect(try Store.check(path: place.host.configuration.path) == [])
  }
}
