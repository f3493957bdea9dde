import Testing

@testable import DepotProtocol
@testable import DepotServer

/// The parts of saves that a connection keeps.
@Suite struct StagedSavesTests {
  private func part(
    _ number: Int,
    _ identifiers: [Int64],
    continuing list: SaveRequest.List? = nil
  ) -> StageRequest.Part {
    let deletion = SaveRequest.Deletion(entity: "A", identifiers: identifiers)
    return StageRequest.Part(number: number, SaveRequest(deletes: [deletion]), continuing: list)
  }

  private func code(_ body: () throws -> Void) -> DepotError.Code? {
    do {
      try body()
      return nil
    } catch {
      return (error as? DepotError)?.code
    }
  }

  @Test func `parts are joined in their order with what the save has itself`() throws {
    var staged = StagedSaves()
    #expect(try staged.add(part(1, [1]), to: 7, others: 0) == (1, 1))
    #expect(try staged.add(part(2, [2], continuing: .delete), to: 7, others: 0) == (2, 2))
    #expect(try staged.add(part(3, [3]), to: 7, others: 0) == (3, 3))
    _ = try staged.add(part(1, [9]), to: 8, others: 0)
    let own = SaveRequest.Deletion(entity: "A", identifiers: [4])
    let request = SaveRequest(
      deletes: [own],
      onConflict: .skip,
      policy: .overwrite,
      staged: SaveRequest.Staged(save: 7, parts: 3),
      answersInRuns: true
    )
    let joined = try staged.join(request)
    #expect(joined.deletes.map(\.identifiers) == [[1, 2], [3], [4]])
    #expect(joined.onConflict == .skip)
    #expect(joined.policy == .overwrite)
    #expect(joined.answersInRuns)
    #expect(joined.staged == nil)
    #expect(staged.byteCount > 0)
    #expect(code { _ = try staged.join(request) } == .stagedNotFound)
    staged.discard(8)
    #expect(staged.byteCount == 0)
  }

  @Test func `a part that isn't the next one is refused, and the save is gone`() throws {
    var staged = StagedSaves()
    #expect(code { _ = try staged.add(part(2, [1]), to: 7, others: 0) } == .stagedNotFound)
    _ = try staged.add(part(1, [1]), to: 7, others: 0)
    #expect(code { _ = try staged.add(part(3, [1]), to: 7, others: 0) } == .stagedNotFound)
    #expect(staged.byteCount == 0)
    _ = try staged.add(part(1, [1]), to: 7, others: 0)
    let request = SaveRequest(staged: SaveRequest.Staged(save: 7, parts: 2))
    #expect(code { _ = try staged.join(request) } == .stagedNotFound)
    // The first part begins anew.
    _ = try staged.add(part(1, [1]), to: 7, others: 0)
    #expect(try staged.add(part(1, [1]), to: 7, others: 0) == (1, 1))
  }

  @Test func `a part goes on only with what is like it`() throws {
    var staged = StagedSaves()
    for list in SaveRequest.List.allCases {
      let first = part(1, [1], continuing: list)
      #expect(code { _ = try staged.add(first, to: 7, others: 0) } == .usage, "\(list)")
    }
    _ = try staged.add(part(1, [1]), to: 7, others: 0)
    let other = SaveRequest.Deletion(entity: "A", identifiers: [2], versions: [1])
    let second = StageRequest.Part(number: 2, SaveRequest(deletes: [other]), continuing: .delete)
    #expect(code { _ = try staged.add(second, to: 7, others: 0) } == .usage)
    #expect(staged.byteCount == 0)
  }

  @Test func `what is staged is bounded`() throws {
    var staged = StagedSaves()
    for save in 1...Limits.stagedSaves {
      _ = try staged.add(part(1, [1]), to: Int64(save), others: 0)
    }
    #expect(code { _ = try staged.add(part(1, [1]), to: 99, others: 0) } == .tooMuchStaged)
    let all = Limits.allStagedBytes - staged.byteCount
    #expect(code { _ = try staged.add(part(2, [1]), to: 1, others: all) } == .tooMuchStaged)
    let text = RowBatch(json: Array(repeating: UInt8(ascii: " "), count: 100 << 20), count: 1)
    let insertion = SaveRequest.Insertion(entity: "A", columns: ["a"], rows: text)
    let large = SaveRequest(inserts: [insertion])
    for number in 1...2 {
      _ = try staged.add(StageRequest.Part(number: number, large), to: 2, others: 0)
    }
    let third = StageRequest.Part(number: 3, large)
    #expect(code { _ = try staged.add(third, to: 2, others: 0) } == .saveTooLarge)
    let many = RowBatch(json: Array("[]".utf8), count: Limits.stagedRows + 1)
    let rows = SaveRequest.Insertion(entity: "A", columns: ["a"], rows: many)
    let first = StageRequest.Part(number: 1, SaveRequest(inserts: [rows]))
    #expect(code { _ = try staged.add(first, to: 3, others: 0) } == .saveTooLarge)
    _ = try staged.add(StageRequest.Part(number: 1, large), to: 4, others: 0)
    _ = try staged.add(StageRequest.Part(number: 1, large), to: 5, others: 0)
    let beside = StageRequest.Part(number: 1, large)
    #expect(code { _ = try staged.add(beside, to: 6, others: 0) } == .tooMuchStaged)
  }
}
