import DepotEngine
import DepotProtocol
import TestSupport
import Testing

/// Two clients that have read the same row, and a model of what becomes of it.
@Suite struct ConflictPropertyTests {
  private typealias Row = [String: Int64]

  private static let names = ["a", "b", "c"]

  /// What a client says of what it has read.
  private enum Base: CaseIterable { case none, changed, whole }

  private enum Wish {
    case change(Row)
    case delete
  }

  private struct Situation {
    var before: Row
    /// What the other client left; `nil` if it deleted the row.
    var store: Row?
    var wish: Wish
    var base: Base
    var policy: MergePolicy
  }

  private enum Outcome: Equatable {
    case refused
    case row(Row?)
  }

  private func expected(_ situation: Situation) -> Outcome {
    let (before, policy) = (situation.before, situation.policy)
    let isKept = policy == .mergeByPropertyStoreTrump || policy == .rollback
    guard case .change(let edits) = situation.wish else {
      guard let store = situation.store, store != before else { return .row(nil) }
      return policy == .error ? .refused : .row(isKept ? store : nil)
    }
    let known: Row =
      switch situation.base {
      case .none: [:]
      case .changed: before.filter { edits[$0.key] != nil }
      case .whole: before
      }
    guard let store = situation.store else {
      if policy == .error { return .refused }
      return .row(isKept ? nil : known.merging(edits) { $1 })
    }
    if store == before { return .row(before.merging(edits) { $1 }) }
    switch policy {
    case .error: return .refused
    case .rollback: return .row(store)
    case .mergeByPropertyStoreTrump:
      return .row(store.merging(edits.filter { known[$0.key] == store[$0.key] }) { $1 })
    case .mergeByPropertyObjectTrump: return .row(store.merging(edits) { $1 })
    case .overwrite: return .row(store.merging(known) { $1 }.merging(edits) { $1 })
    }
  }

  private func edits(_ generator: inout SeededGenerator) -> Row {
    var edits: Row = [:]
    while edits.isEmpty {
      for name in Self.names where Bool.random(using: &generator) {
        edits[name] = Int64.random(in: 0..<3, using: &generator)
      }
    }
    return edits
  }

  private func request(_ situation: Situation, _ identifier: Int64) -> String {
    let policy = #""policy":"\#(situation.policy.rawValue)""#
    guard case .change(let edits) = situation.wish else {
      return #"""
        {"delete":[{"entity":"Person","ids":[\#(identifier)],"versions":[1]}],\#(policy)}
        """#
    }
    let names = edits.keys.sorted()
    let values = names.map { ",\(edits[$0] ?? 0)" }.joined()
    let columns = names.map { ",\"\($0)\"" }.joined()
    let read =
      switch situation.base {
      case .none: [String]()
      case .changed: names
      case .whole: Self.names
      }
    let more = situation.base == .whole ? (#","code","boss""#, ",null,null") : ("", "")
    let base =
      read.isEmpty
      ? ""
      : #","base":{"columns":[\#(read.map { "\"\($0)\"" }.joined(separator: ","))\#(more.0)],"#
        + #""rows":[[\#(read.map { "\(situation.before[$0] ?? 0)" }.joined(separator: ","))\#(more.1)]]}"#
    return #"""
      {"update":[{"entity":"Person","columns":["$id","$version"\#(columns)],
      "rows":[[\#(identifier),1\#(values)]]\#(base)}],\#(policy)}
      """#
  }

  @Test(arguments: [1, 2, 3] as [UInt64])
  func `two clients get what the table of policies says`(seed: UInt64) async throws {
    var generator = SeededGenerator(seed: seed)
    try await withStore(.people) { store, path in
      for identifier in Int64(1)...150 {
        var before: Row = [:]
        for name in Self.names { before[name] = Int64.random(in: 0..<3, using: &generator) }
        let values = Self.names.map { "\(before[$0] ?? 0)" }.joined(separator: ",")
        try await store.insert("Person", Self.names, "[[\(values)]]")
        var after: Row? = before
        switch Int.random(in: 0..<4, using: &generator) {
        case 0:
          try await store.delete("Person", [identifier])
          after = nil
        case 1: break
        default:
          let edits = edits(&generator)
          let names = edits.keys.sorted()
          let list = names.map { "\(edits[$0] ?? 0)" }.joined(separator: ",")
          try await store.update("Person", [identifier], names, "[\(list)]")
          after = before.merging(edits) { $1 }
        }
        let isDeletion = Int.random(in: 0..<4, using: &generator) == 0
        let situation = Situation(
          before: before,
          store: after,
          wish: isDeletion ? .delete : .change(edits(&generator)),
          base: Base.allCases.randomElement(using: &generator) ?? .none,
          policy: MergePolicy.allCases.randomElement(using: &generator) ?? .error
        )
        let error = await store.saveError(request(situation, identifier))
        let select = "SELECT a_a, a_b, a_c FROM e_Person WHERE id = \(identifier)"
        var row: Row?
        for values in try texts(select, in: path) {
          row = [:]
          for (name, value) in zip(Self.names, values) {
            if let number = value.flatMap({ Int64($0) }) { row?[name] = number }
          }
        }
        let expected = expected(situation)
        if let error {
          #expect(error.code == .merge)
          #expect(expected == .refused, "\(situation)")
          #expect(row == after)
        } else {
          #expect(.row(row) == expected, "\(situation)")
        }
      }
      #expect(try await store.problems(path) == [])
    }
  }
}
