import Testing

@testable import DepotClientCore

@Suite struct SavedVersionsTests {
  @Test func `runs in any order give the version of each of their rows`() {
    let runs: [(first: Int64, count: Int64, version: Int64)] = [
      (20, 3, 2), (7, 2, 1), (9, 4, 1), (30, 1, 5),
    ]
    let versions = SavedVersions(
      runs.map { SavedVersions.Run(first: $0.first, count: $0.count, version: $0.version) }
    )
    var expected: [Int64: Int64] = [:]
    for run in runs {
      for row in run.first..<run.first + run.count { expected[row] = run.version }
    }
    for row in Int64(0)...40 { #expect(versions[row] == expected[row]) }
    #expect(versions.count == expected.count)
    #expect(versions == [7: 1, 8: 1, 9: 1, 10: 1, 11: 1, 12: 1, 20: 2, 21: 2, 22: 2, 30: 5])
    #expect(SavedVersions([])[0] == nil)
  }
}
