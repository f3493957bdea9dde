import DepotProtocol
import TestSupport
import Testing

@testable import DepotEngine

/// The writing and judging of tokens, and the times of day, by a store's epochs.
@Suite struct EpochChainTests {
  private let chain = EpochChain(
    store: "3f2b8c01-8d4e-4a10-9c55-0123456789ab",
    [
      Epoch(identity: 5, began: 0, ahead: 0), Epoch(identity: 6, began: 10, ahead: 0),
      Epoch(identity: 4, began: 10, ahead: 0), Epoch(identity: 9, began: 25, ahead: 0),
    ]
  )

  private func code(_ epoch: Int64, _ sequence: Int64, head: Int64) -> DepotError.Code? {
    do throws(DepotError) {
      try chain.check(HistoryToken(store: "3f2b8c01", epoch: epoch, sequence: sequence), head: head)
      return nil
    } catch {
      return error.code
    }
  }

  @Test func `a token has the epoch in which its transaction was`() {
    let epochs = [0, 1, 10, 11, 25, 26, 1000].map { chain.token($0).epoch }
    #expect(epochs == [5, 5, 5, 4, 4, 9, 9])
  }

  @Test func `a token is taken up to the end of its epoch`() {
    #expect(code(5, 0, head: 30) == nil)
    #expect(code(5, 10, head: 30) == nil)
    #expect(code(5, 11, head: 30) == .historyForeign)
    #expect(code(6, 10, head: 30) == nil)
    #expect(code(6, 11, head: 30) == .historyForeign)
    // The past before an epoch is the same for all who have it.
    #expect(code(4, 3, head: 30) == nil)
    #expect(code(4, 25, head: 30) == nil)
    #expect(code(4, 26, head: 30) == .historyForeign)
    #expect(code(9, 30, head: 30) == nil)
    #expect(code(9, 31, head: 30) == .historyForeign)
    // The last epoch began, but its first transaction isn't committed.
    #expect(code(9, 26, head: 25) == .historyForeign)
  }

  @Test func `a token of another past, of none, or of another store is foreign`() {
    for sequence: Int64 in [0, 5, 10, 30] {
      #expect(code(7, sequence, head: 30) == .historyForeign)
      #expect(code(0, sequence, head: 30) == .historyForeign)
    }
    let other = HistoryToken(store: "00000000", epoch: 5, sequence: 1)
    #expect(throws: DepotError.self) { try chain.check(other, head: 30) }
  }

  @Test func `a store of before there were epochs takes the tokens that it told`() throws {
    let old = EpochChain(store: "3f2b8c01", [])
    #expect(old.token(7).description == "3f2b8c01-7")
    try old.check(HistoryToken("3f2b8c01-7"), head: 7)
    #expect(throws: DepotError.self) { try old.check(HistoryToken("3f2b8c01-8"), head: 7) }
  }

  @Test func `times of day that a wrong clock told are put right`() {
    func dates(_ ahead: Double...) -> [Double] {
      let epochs = ahead.enumerated().map {
        Epoch(identity: Int64($0 + 1), began: Int64($0 * 10), ahead: $1)
      }
      let chain = EpochChain(store: "3f2b8c01", epochs)
      return ahead.indices.map { chain.date(Double($0), of: Int64($0 * 10 + 1)) }
    }
    #expect(dates(1000, 1005, 1010) == [1000, 1006, 1012])
    // The second was in the future, then in the past.
    #expect(dates(1000, 9000, 1010) == [1000, 1011, 1012])
    #expect(dates(1000, 5, 1010) == [1000, 1001, 1012])
    // The clock of now is the one that counts.
    #expect(dates(1000, 1005, 10) == [10, 11, 12])
    #expect(dates(1000, 1005, 9000) == [1000, 1006, 9002])
  }

  @Test(arguments: seeds(200))
  func `times of day never run backwards, and end at the wall clock`(seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    var epochs: [Epoch] = []
    var transactions: [(sequence: Int64, time: Double)] = []
    var (sequence, time): (Int64, Double) = (0, 0)
    for number in 1...Int64.random(in: 1...8, using: &random) {
      let ahead = Double(Int.random(in: -1000...1000, using: &random))
      epochs.append(Epoch(identity: number, began: sequence, ahead: ahead))
      for _ in 0..<Int.random(in: 0...4, using: &random) {
        sequence += Int64.random(in: 1...3, using: &random)
        time += Double(Int.random(in: 0...100, using: &random))
        transactions.append((sequence, time))
      }
    }
    let chain = EpochChain(store: "3f2b8c01", epochs)
    let dates = transactions.map { chain.date($0.time, of: $0.sequence) }
    #expect(dates == dates.sorted())
    #expect(chain.date(time, of: sequence + 1) == time + (epochs.last?.ahead ?? 0))
  }
}
