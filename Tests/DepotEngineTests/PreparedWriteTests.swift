import DepotProtocol
import DepotSQLite
import Foundation
import Synchronization
import TestSupport
import Testing

@testable import DepotEngine

/// Writes that keep their transaction open until somebody decides about them.
@Suite struct PreparedWriteTests {
  private static let next: Schema = {
    var schema = Schema.items
    schema.version = SchemaVersion(2, 0, 0)
    schema.entities[0].attributes.removeLast()
    return schema
  }()

  private static let define = DepotProtocol.Operation.defineSchema(
    next,
    isDryRun: false,
    MigrationOptions()
  )

  @Test(arguments: [true, false])
  func `all other writes wait for the decision`(isCommitted: Bool) async throws {
    try await withItems { store, answers, path in
      store.submit([.test(3, Self.define, .prepare), .test(4, .item("b"))])
      #expect(try await answers.wait(for: 3).contains("removed attribute Item.size"))
      store.submit([.test(5, .item("a"))])
      #expect(store.catalog.schema == .items)
      #expect(try rows("SELECT count(*) FROM e_Item", in: path) == [[.integer(1)]])
      store.submit([.test(6, Self.define, isCommitted ? .commit : .undo)])
      _ = try await answers.wait(for: 5)
      #expect(answers.order == [1, 2, 3, 6, 4, 5])
      #expect(try await answers.wait(for: 4).contains("\"ok\""))
      #expect(try await answers.wait(for: 5).contains("\"err\""))
      #expect(store.catalog.schema == (isCommitted ? Self.next : .items))
      let folder = URL(filePath: path).deletingLastPathComponent().path
      let backups = try FileManager.default.contentsOfDirectory(atPath: folder)
        .filter { $0.contains(".backup-") }
      #expect(backups == (isCommitted ? ["store.depot.backup-0-1"] : []))
    }
  }

  @Test func `what can't be prepared holds nobody up`() async throws {
    try await withItems { store, answers, _ in
      var schema = Self.next
      schema.entities[0].attributes[0].type = .bool
      let define = DepotProtocol.Operation.defineSchema(
        schema,
        isDryRun: false,
        MigrationOptions()
      )
      store.submit([.test(3, define, .prepare), .test(4, .item("b"))])
      let refusal = try await answers.wait(for: 3)
      #expect(refusal.contains("schema.mismatch"))
      let other = try await answers.wait(for: 4)
      #expect(other.contains("\"ok\""))
      store.submit([.test(5, define, .commit)])
      let late = try await answers.wait(for: 5)
      #expect(late.contains("request.usage"))
    }
  }

  @Test func `what is done in chunks makes none meanwhile`() async throws {
    try await withItems { store, answers, path in
      let delete = DepotProtocol.Operation.delete(
        DeleteRequest(entity: "Item", rows: .predicate(.value(.bool(true))), chunk: 1)
      )
      store.submit([
        .test(3, .item("b")), .test(4, delete), .test(5, Self.define, .prepare),
      ])
      _ = try await answers.wait(for: 5)
      // One of them came before.
      #expect(try rows("SELECT count(*) FROM e_Item", in: path) == [[.integer(1)]])
      store.submit([.test(6, Self.define, .undo)])
      _ = try await answers.wait(for: 4)
      #expect(answers.order == [1, 2, 3, 5, 6, 4])
    }
  }

  @Test func `a store that is closed undoes it, and answers those who waited`() async throws {
    try await withItems(closes: false) { store, answers, path in
      store.submit([.test(3, Self.define, .prepare), .test(4, .item("b"))])
      _ = try await answers.wait(for: 3)
      await store.close()
      #expect(try await answers.wait(for: 4).contains("\"ok\""))
      let again = try StoreFixture(StoreConfiguration(path: path))
      #expect(again.store.catalog.schema == .items)
      #expect(try rows("SELECT count(*) FROM e_Item", in: path) == [[.integer(2)]])
      await again.close()
    }
  }
}
