import DepotEngine
import DepotProtocol
import Testing

@testable import DepotServer

/// A schema that several stores have to take.
@Suite struct SchemaDefinitionTests {
  /// What a definition asked of its stores.
  private final class Log {
    var sent: [(part: Int, phase: WriteRequest.Phase)] = []
    var results: [Result<SchemaResult, DepotError>] = []
  }

  private let fixtures: [HostFixture]
  private let container: Container
  private let log = Log()

  init() throws {
    fixtures = try [HostFixture(), HostFixture()]
    container = Container(name: "x", stores: [], hosts: fixtures.map(\.host), keeps: false)
    container.refresh()
  }

  private func begin(isDryRun: Bool = false) throws -> SchemaDefinition {
    let schema = Schema(
      entities: [Entity(name: "A", attributes: [Attribute(name: "n", type: .int64)])]
    )
    let definition = try SchemaDefinition(
      schema,
      of: container,
      isDryRun: isDryRun,
      send: { [log] _, part, _, operation, phase in
        guard case .defineSchema(_, let isRehearsal, _) = operation else { return }
        #expect(isRehearsal == isDryRun)
        log.sent.append((part, phase))
      },
      completion: { [log] in log.results.append($0) }
    )
    definition.begin()
    return definition
  }

  private func answer(_ changes: String) -> [UInt8] {
    Array(#"{"id":1,"ok":{"changed":true,"changes":["\#(changes)"],"schema":"0"}}"#.utf8)
  }

  private let done = Array(#"{"id":1,"ok":{}}"#.utf8)
  private let refusal = Array(
    #"{"id":1,"err":{"code":"schema.mismatch","message":"No.","retry":"no","effect":"none"}}"#.utf8
  )

  @Test func `all stores are asked before any is told`() throws {
    let definition = try begin()
    #expect(log.sent.map(\.phase) == [.prepare, .prepare])
    definition.finish(1, answer("b"))
    #expect(log.sent.count == 2)
    definition.finish(0, answer("a"))
    #expect(log.sent.map(\.phase) == [.prepare, .prepare, .commit, .commit])
    definition.finish(0, done)
    definition.finish(1, done)
    #expect(try log.results.map { try $0.get().changes } == [["a", "b"]])
  }

  @Test func `a trial only asks`() throws {
    let definition = try begin(isDryRun: true)
    definition.finish(0, answer("a"))
    definition.finish(1, answer("b"))
    #expect(log.sent.count == 2)
    #expect(try log.results.map { try $0.get().isChanged } == [true])
  }

  @Test(arguments: [0, 1])
  func `one refusal keeps all from changing`(part: Int) throws {
    let definition = try begin()
    definition.finish(part, refusal)
    #expect(log.results.isEmpty, "the other store hasn't answered")
    definition.finish(1 - part, answer("x"))
    #expect(log.sent.map(\.phase) == [.prepare, .prepare, .undo])
    #expect(log.sent.last?.part == 1 - part)
    definition.finish(1 - part, done)
    #expect(log.results.count == 1)
    #expect(throws: DepotError.self) { try log.results[0].get() }
  }

  @Test func `what would be lost is told of all stores`() throws {
    func loss(_ step: String) -> [UInt8] {
      Array(
        """
        {"id":1,"err":{"code":"schema.loss","message":"Loses \(step).","retry":"no","effect":"none",\
        "details":{"steps":["\(step)"]}}}
        """.utf8
      )
    }
    let definition = try begin()
    definition.finish(1, loss("b"))
    definition.finish(0, loss("a"))
    let error = #expect(throws: DepotError.self) { try log.results[0].get() }
    #expect(error?.code == .loss)
    #expect(error?.message == "Loses b. Loses a.")
    #expect(error?.details?["steps"] == .array([.string("b"), .string("a")]))
  }

  @Test func `a store that was taken out of service meanwhile ends the definition`() throws {
    let definition = try begin()
    definition.finish(0, answer("a"))
    fixtures[1].suspend()
    definition.finish(1, answer("b"))
    #expect(log.sent.map(\.phase) == [.prepare, .prepare, .undo])
    definition.finish(0, done)
    #expect(log.results.count == 1)
    let error = #expect(throws: DepotError.self) { try log.results[0].get() }
    #expect(error?.code == .migrating)
  }

  @Test func `a commit that fails is told, with what to do`() throws {
    let definition = try begin()
    definition.finish(0, answer("a"))
    definition.finish(1, answer("b"))
    definition.finish(0, done)
    definition.finish(1, refusal)
    let error = #expect(throws: DepotError.self) { try log.results[0].get() }
    #expect(error?.message.contains("Other stores") == true)
  }
}
