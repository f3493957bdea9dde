import DepotEngine
import DepotProtocol
import Foundation
import Testing

/// Stores that nothing may be written to, and stores that are kept in memory.
@Suite struct ReadOnlyStoreTests {
  private static let schema = Schema(
    entities: [
      Entity(
        name: "Item",
        attributes: [
          Attribute(name: "name", type: .string), Attribute(name: "size", type: .int64),
        ]
      )
    ]
  )

  /// Calls `body` with the path of a store with one row, in a folder of its own.
  private func withStore(
    isClosed: Bool = true,
    named name: String = "x.store",
    _ body: (String) async throws -> Void
  ) async throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString).path
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    defer {
      try? FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: folder)
      try? FileManager.default.removeItem(atPath: folder)
    }
    let path = folder + "/" + name
    let fixture = try StoreFixture(StoreConfiguration(path: path))
    try await fixture.write(.defineSchema(Self.schema, isDryRun: false))
    try await fixture.insert([[.string("a"), .int64(1)]])
    if isClosed { await fixture.close() }
    try await body(path)
    await fixture.close()
  }

  private func open(_ path: String) throws -> StoreFixture {
    try StoreFixture(StoreConfiguration(path: path, isReadOnly: true))
  }

  private func count(_ path: String, _ catalog: Catalog) throws -> String {
    let reader = try QuickReader(path: path, isFrozen: true)
    let answer = try reader.answer(.count(CountRequest(entity: "Item")), catalog) ?? []
    return String(decoding: answer, as: UTF8.self)
  }

  @Test(arguments: ["x.store", "a?b=c#d%41 é.store"])
  func `a store is read where nothing can be written, and stays as it is`(
    name: String
  )
    async throws
  {
    try await withStore(named: name) { path in
      let folder = (path as NSString).deletingLastPathComponent
      // What another program would bring here: the file alone.
      for suffix in ["-wal", ".state", ".lock"] {
        try? FileManager.default.removeItem(atPath: path + suffix)
      }
      try FileManager.default.setAttributes([.posixPermissions: 0o444], ofItemAtPath: path)
      try FileManager.default.setAttributes([.posixPermissions: 0o555], ofItemAtPath: folder)
      let before = try Data(contentsOf: URL(filePath: path))
      let fixture = try open(path)
      #expect(fixture.store.catalog.schema == Self.schema)
      #expect(try count(path, fixture.store.catalog).contains(#""count":1"#))
      await fixture.close()
      #expect(try Data(contentsOf: URL(filePath: path)) == before)
      let left = try FileManager.default.contentsOfDirectory(atPath: folder)
      #expect(left.filter { $0.hasSuffix("-wal") || $0.hasSuffix("-shm") } == [])
    }
  }

  @Test func `several may read, and none of them while somebody writes`() async throws {
    try await withStore { path in
      let first = try open(path)
      let second = try open(path)
      let writer = #expect(throws: DepotError.self) {
        try Store(configuration: StoreConfiguration(path: path), onCommit: { _ in }) { _ in }
      }
      #expect(writer?.code == .busy)
      await first.close()
      await second.close()
      let fixture = try StoreFixture(StoreConfiguration(path: path))
      let reader = #expect(throws: DepotError.self) { try open(path) }
      #expect(reader?.code == .busy)
      await fixture.close()
    }
  }

  @Test func `a store whose log isn't applied is read with it, and stays as it is`() async throws {
    try await withStore(isClosed: false) { path in
      let copy = path + ".copy"
      for suffix in ["", "-wal", ".state"] {
        try FileManager.default.copyItem(atPath: path + suffix, toPath: copy + suffix)
      }
      let before = try Data(contentsOf: URL(filePath: copy + "-wal"))
      let fixture = try open(copy)
      #expect(try count(copy, fixture.store.catalog).contains(#""count":1"#))
      await fixture.close()
      #expect(try Data(contentsOf: URL(filePath: copy + "-wal")) == before)
      try FileManager.default.removeItem(atPath: copy + ".state")
      let error = #expect(throws: DepotError.self) { try open(copy) }
      #expect(error?.code == .corrupt)
    }
  }

  @Test func `nothing is made by reading, and what is no store isn't read`() async throws {
    try await withStore { path in
      let missing = #expect(throws: DepotError.self) { try open(path + ".no") }
      #expect(missing?.code == .fileNotFound)
      #expect(!FileManager.default.fileExists(atPath: path + ".no"))
      for content in [Data(), Data(repeating: 0x41, count: 8192)] {
        try content.write(to: URL(filePath: path + ".odd"))
        let error = #expect(throws: DepotError.self) { try open(path + ".odd") }
        #expect(error?.code == .corrupt)
      }
    }
  }

  @Test func `a store in memory leaves nothing behind`() async throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString).path
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(atPath: folder) }
    let configuration = StoreConfiguration(path: folder + "/x.store", isInMemory: true)
    let fixture = try StoreFixture(configuration)
    try await fixture.write(.defineSchema(Self.schema, isDryRun: false))
    try await fixture.insert([[.string("a"), .int64(1)]])
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder).contains("x.store"))
    await fixture.close()
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder) == [])
  }
}
