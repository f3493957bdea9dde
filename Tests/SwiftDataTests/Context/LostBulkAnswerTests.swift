import Testing

@testable import SwiftData

/// Writes of many objects of which nobody knows at first whether they were made.
@Suite(.serialized) struct `A write of many objects whose answer is lost` {
  private let service: LosableService
  private let container: ModelContainer
  private let context: ModelContext

  init() throws {
    service = try LosableService()
    container = try service.fleetContainer()
    context = ModelContext(container)
    try insert("old", count: 2)
  }

  private func insert(_ name: String, count: Int) throws {
    try context.insert(model: Ship.self, rows: count) { index, row in
      row[\.name] = "\(name) \(index)"
    }
  }

  /// Does something, so that the service does it too and nobody is told.
  private func lose(_ body: () throws -> Void) throws {
    service.loseAnswers()
    let error = #expect(throws: SwiftDataError.storeFailure) { try body() }
    #expect(error?.serviceError?.effect == .unknown)
    #expect(error?.hint?.isEmpty == false)
    service.kill()
    try service.start()
  }

  private func names() throws -> [String] {
    try ModelContext(container).fetch(FetchDescriptor<Ship>()).map(\.name).sorted()
  }

  @Test func `an insertion that is asked for again is made once`() throws {
    try lose { try insert("new", count: 3) }
    #expect(try names().count == 5)
    // Another one in between is one of its own.
    try insert("other", count: 1)
    try insert("new", count: 3)
    #expect(try names() == ["new 0", "new 1", "new 2", "old 0", "old 1", "other 0"])
    try insert("new", count: 3)
    #expect(try names().count == 9)
  }

  @Test func `an insertion that wasn't made is made when it is asked for again`() throws {
    service.kill()
    #expect(throws: SwiftDataError.storeFailure) { try insert("new", count: 1) }
    try service.start()
    try insert("new", count: 1)
    #expect(try names() == ["new 0", "old 0", "old 1"])
  }

  @Test func `values are computed once`() throws {
    func lengthen() throws -> Int {
      try context.update(Ship.self, set: [.set(\.length, to: #Expression { $0.length + 1 })])
    }
    let before = try ModelContext(container).fetch(FetchDescriptor<Ship>()).map(\.length)
    try lose { _ = try lengthen() }
    #expect(try lengthen() == 2)
    let after = try ModelContext(container).fetch(FetchDescriptor<Ship>()).map(\.length)
    #expect(after == before.map { $0 + 1 })
    #expect(try lengthen() == 2)
  }

  @Test func `deletions and plain values are asked for anew`() throws {
    try lose { try context.delete(model: Ship.self) }
    try ModelContext(container).insert(model: Ship.self, rows: 1) { _, row in row[\.name] = "late" }
    try context.delete(model: Ship.self)
    #expect(try names().isEmpty)
    try insert("new", count: 1)
    func rename(_ name: String) throws {
      try context.update(Ship.self, set: [.set(\.name, to: name)])
    }
    try lose { try rename("A") }
    try rename("B")
    try rename("A")
    #expect(try names() == ["A"])
  }
}
