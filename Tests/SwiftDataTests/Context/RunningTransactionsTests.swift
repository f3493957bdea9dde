import Testing

@testable import SwiftData

@Suite struct `Running transactions` {
  private struct Failure: Error, Equatable { let number: Int }

  @Test func `one inside of another isn't the outermost`() {
    var transactions = RunningTransactions()
    var areOutermost = [transactions.begin(), transactions.begin()]
    transactions.end()
    transactions.end()
    areOutermost.append(transactions.begin())
    #expect(areOutermost == [true, false, true])
  }

  @Test func `the first failure lasts as long as the outermost`() {
    var transactions = RunningTransactions()
    _ = transactions.begin()
    _ = transactions.begin()
    transactions.fail(Failure(number: 1))
    transactions.fail(Failure(number: 2))
    transactions.end()
    #expect(transactions.failure as? Failure == Failure(number: 1))
    transactions.end()
    #expect(transactions.failure == nil)
  }
}
