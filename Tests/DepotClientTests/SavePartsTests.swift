import TestSupport
import Testing

@testable import DepotClient
@testable import DepotClientCore
@testable import DepotProtocol

/// Saves that are cut into parts, and put together again as the service does it.
@Suite struct SavePartsTests {
  private static func rows(
    _ count: Int,
    _ columns: Int,
    _ generator: inout SeededGenerator
  ) -> RowBatch {
    var batch = RowBatch()
    let texts = ["", "]", "[[", "a\"b", "\\", "{\"x\":[1,2]}", "long enough to count, twice"]
    for _ in 0..<count {
      batch.append(
        (0..<columns).map { _ in
          switch Int.random(in: 0..<3, using: &generator) {
          case 0: .null
          case 1: .int64(.random(in: -9...9_999_999, using: &generator))
          default: .string(texts.randomElement(using: &generator) ?? "")
          }
        }
      )
    }
    return batch
  }

  private static func request(_ generator: inout SeededGenerator) -> SaveRequest {
    func count() -> Int {
      [0, 1, 2, 7, 40].randomElement(using: &generator) ?? 0
    }
    func list<Element>(_ make: () -> Element) -> [Element] {
      (0..<Int.random(in: 0...3, using: &generator)).map { _ in make() }
    }
    var request = SaveRequest()
    request.inserts = list {
      SaveRequest.Insertion(
        entity: "A",
        columns: ["$id", "x"],
        rows: rows(count(), 2, &generator)
      )
    }
    request.updates = list {
      let count = count()
      return SaveRequest.Change(
        entity: "B",
        columns: ["$id", "$version", "x"],
        rows: rows(count, 3, &generator),
        base: Bool.random(using: &generator)
          ? SaveRequest.Base(columns: ["x"], rows: rows(count, 1, &generator)) : nil
      )
    }
    request.deletes = list {
      let count = Int64(count())
      return SaveRequest.Deletion(
        entity: "C",
        identifiers: Array(0..<count),
        versions: Bool.random(using: &generator) ? Array(100..<100 + count) : nil
      )
    }
    request.reads = list {
      let count = Int64(count())
      return SaveRequest.ReadSet(
        entity: "D",
        identifiers: Array(0..<count),
        versions: Array(100..<100 + count)
      )
    }
    return request
  }

  @Test(arguments: seeds(300))
  func `the parts of a save are the save, and none is too large`(seed: UInt64) throws {
    var generator = SeededGenerator(seed: seed &* 2_654_435_761 &+ 1)
    let request = Self.request(&generator)
    let limits = SaveParts.Capacity(
      rows: Int.random(in: 1...12, using: &generator),
      bytes: [400, 2000, 8000].randomElement(using: &generator) ?? 400,
      values: [40, 200, 5000].randomElement(using: &generator) ?? 40
    )
    guard var parts = SaveParts(request, limits) else {
      #expect(request.rowCount <= limits.rows)
      return
    }
    var joined = SaveRequest()
    var number = 0
    while let part = parts.next() {
      number += 1
      #expect(part.number == number)
      #expect(part.changes.rowCount <= limits.rows)
      // A part may be one large row, and names of columns.
      if part.changes.rowCount > 1 { #expect(part.changes.byteCount <= limits.bytes / 4 + 2000) }
      // As it is on the wire.
      var writer = JSONWriter()
      writer.write(Call(id: 1, .stage(StageRequest(save: 1, .part(part)))))
      guard case .call(let call) = try ClientFrame(writer.bytes),
        case .stage(let stage) = call.operation, case .part(let received) = stage.content
      else { throw DepotError(.bug, "It is no part.") }
      #expect(received == part)
      try joined.append(received.changes, continuing: received.continued)
    }
    #expect(Self.withoutTrailing(joined) == Self.withoutTrailing(request))
  }

  /// Leaves out what is empty at the end of lists, which a cut save may lack.
  private static func withoutTrailing(_ request: SaveRequest) -> SaveRequest {
    var request = request
    while request.inserts.last?.rows.count == 0 { request.inserts.removeLast() }
    while request.updates.last?.rows.count == 0 { request.updates.removeLast() }
    while request.deletes.last?.identifiers.isEmpty == true { request.deletes.removeLast() }
    while request.reads.last?.identifiers.isEmpty == true { request.reads.removeLast() }
    return request
  }

  @Test func `what fits a frame is in one piece`() {
    var generator = SeededGenerator(seed: 7)
    let request = SaveRequest(inserts: [
      SaveRequest.Insertion(entity: "A", columns: ["a"], rows: Self.rows(9000, 1, &generator))
    ])
    #expect(SaveParts(request) == nil)
    var larger = request
    larger.deletes = [SaveRequest.Deletion(entity: "A", identifiers: Array(0..<1001))]
    #expect(SaveParts(larger) != nil)
  }

  @Test func `runs are read as identifiers by their names`() throws {
    let request = SaveRequest(inserts: [
      SaveRequest.Insertion(entity: "A", columns: ["a"], rows: .named([1, 2])),
      SaveRequest.Insertion(
        entity: "A",
        columns: ["a", "$id"],
        rows: .named([[1, "#a"], [2, "#b"], [3, nil], [4, "#c"]])
      ),
    ])
    let json =
      #"{"inserted":6,"ids":{},"runs":[[[0,2]],[[7,2],[0,1],[9,1]]],"versions":{"A":[[7,1,3]]}}"#
    let answer = try SaveResult(JSONDocument(Array(json.utf8)).root)
    #expect(answer.runs[1].map(\.first) == [7, 0, 9])
    #expect(answer.versions == ["A": [7: 1, 8: 1, 9: 1]])
    let named = try answer.named(for: request)
    #expect(named.identifiers == ["#a": 7, "#b": 8, "#c": 9])
    #expect(named.runs.isEmpty)
    var wantsRuns = request
    wantsRuns.answersInRuns = true
    #expect(try answer.named(for: wantsRuns) == answer)
  }
}

extension RowBatch {
  fileprivate static func named(_ rows: [Any]) -> RowBatch {
    var batch = RowBatch()
    for row in rows {
      let values = row as? [Any?] ?? [row]
      batch.append(
        values.map { value in
          if let number = value as? Int { return .int64(Int64(number)) }
          return (value as? String).map(Value.string) ?? .null
        }
      )
    }
    return batch
  }
}
