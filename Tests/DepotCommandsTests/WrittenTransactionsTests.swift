import DepotLinux
import DepotProtocol
import Glibc
import Testing

@testable import DepotCommands

/// Histories whose reading ends with an error.
@Suite("Transactions that were written before an error")
struct WrittenTransactionsTests {
  private func token(_ number: Int64) -> HistoryToken {
    HistoryToken(store: "3f2b8c01", sequence: number)
  }

  private func error(
    _ code: DepotError.Code,
    _ tokens: [Int64],
    isDescending: Bool,
    in output: ByteSink = ByteSink { _ in }
  ) throws -> DepotError? {
    #expect(throws: DepotError.self) {
      try WrittenTransactions.reporting(isDescending: isDescending, in: output) { written in
        for number in tokens { written.note(token(number)) }
        throw DepotError(code, "The service closed the connection.")
      }
    }
  }

  @Test("An error tells how many are whole, and where the rest begins")
  func rest() throws {
    let oldest = try #require(try error(.disconnected, [3, 4, 4, 7], isDescending: false))
    #expect(
      oldest.message
        == "The service closed the connection. 2 transactions before it were written whole."
    )
    // The last one may lack some of its pieces.
    #expect(oldest.hint == "The same command with --since 3f2b8c01-4 writes the rest.")
    let newest = try #require(try error(.streamExpired, [9, 8, 8], isDescending: true))
    #expect(newest.message.hasSuffix(" 1 transaction before it were written whole."))
    #expect(newest.hint == "The same command with --until 3f2b8c01-8 writes the rest.")
  }

  @Test("An error before the second transaction, or of another kind, gets no such hint")
  func others() throws {
    let first = try error(.disconnected, [3, 3], isDescending: false)
    #expect(first?.message == "The service closed the connection.")
    let other = try error(.corrupt, [3, 4], isDescending: false)
    #expect(other?.hint == nil)
    #expect(other?.message.contains("1 transaction before it") == true)
    let full = ByteSink { _ in }
    _ = full.failure(SystemError(call: "write", code: ENOSPC))
    let failed = try error(.full, [3, 4], isDescending: false, in: full)
    #expect(failed?.message == "The service closed the connection.")
  }

  @Test("Rows of a buffer that can't be written aren't counted")
  func rowsOfBuffer() throws {
    let full = ByteSink(limit: 1) { _ throws(SystemError) in
      throw SystemError(call: "write", code: ENOSPC)
    }
    let count = { 1 }
    let error = #expect(throws: DepotError.self) {
      try RowStream.counting(count, in: full) {
        full.append("a row")
        try full.flushIfLarge()
      }
    }
    #expect(error?.message.contains("written.") == false)
  }
}
