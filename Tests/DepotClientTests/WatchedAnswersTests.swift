import DepotProtocol
import FoundationEssentials
import Testing

@testable import DepotClient
@testable import DepotClientCore

@Suite struct WatchedAnswersTests {
  private var counts = AnswerReader<Int> { frames in
    var count = 0
    for frame in frames { try frame.forEachRow { count = try $0.next() } }
    return count
  }
  private var history = HistoryReader()

  private mutating func count(_ frame: String) throws -> Int? {
    try counts.receive(Array(frame.utf8))?.value
  }

  @Test mutating func `a count is told when it is live and when it is another`() throws {
    #expect(try count(#"{"id":1,"kind":"snapshot","next":[[3]]}"#) == nil)
    #expect(try count(#"{"id":1,"kind":"live","token":"0123abcd-1","next":[]}"#) == 3)
    #expect(try count(#"{"id":1,"kind":"change","token":"0123abcd-2","next":[[4]]}"#) == 4)
    #expect(try count(#"{"id":1,"kind":"mark","token":"0123abcd-7","next":[]}"#) == nil)
    #expect(counts.token?.sequence == 7)
  }

  @Test mutating func `the same count after a lost connection isn't told again`() throws {
    _ = try count(#"{"id":1,"kind":"snapshot","next":[[3]]}"#)
    _ = try count(#"{"id":1,"kind":"live","token":"0123abcd-1","next":[]}"#)
    counts.restart()
    #expect(try count(#"{"id":2,"kind":"snapshot","next":[[3]]}"#) == nil)
    #expect(try count(#"{"id":2,"kind":"live","token":"0123abcd-9","next":[]}"#) == nil)
    #expect(counts.token?.sequence == 9)
  }

  private static func transaction(_ sequence: Int, _ changes: String = "") -> String {
    #"{"token":"0123abcd-\#(sequence)","at":"2026-01-02T03:04:05Z","author":"me","process":"p/1","#
      + #""changes":[\#(changes)]}"#
  }

  private static let rename =
    #"{"entity":"Item","id":7,"kind":"update","properties":["name","n"],"version":3,"#
    + #""old":{"name":"a","n":1},"new":{"name":"b","n":null}}"#

  private mutating func transactions(_ frame: String) throws -> [HistoryTransaction] {
    try history.receive(Array(frame.utf8)).compactMap { event in
      if case .transaction(let transaction) = event { transaction } else { nil }
    }
  }

  @Test mutating func `a transaction has its facts and changes`() throws {
    let frame =
      #"{"id":1,"kind":"change","token":"0123abcd-4","next":[\#(Self.transaction(4, Self.rename))]}"#
    let transaction = try #require(try transactions(frame).first)
    #expect(transaction.author == "me")
    #expect(transaction.process == "p/1")
    #expect(transaction.group == nil)
    #expect(transaction.date?.timeIntervalSinceReferenceDate == 789_015_845)
    let change = try #require(transaction.changes.first)
    #expect(change.kind == .update)
    #expect(change.properties == ["name", "n"])
    #expect(change.version == 3)
    #expect(change.old["name"] == .string("a"))
    #expect(change.new["n"] == .null)
    #expect(history.token?.sequence == 4)
  }

  @Test mutating func `a transaction in parts is told once, and none twice`() throws {
    let first = Self.transaction(4, Self.rename)
    let frame = { (text: String, more: String) in
      #"{"id":1,"kind":"change","token":"0123abcd-4","next":[\#(text)]\#(more)}"#
    }
    #expect(try transactions(frame(first, #","more":true"#)).isEmpty)
    let whole = try transactions(frame(first, ""))
    #expect(whole.map(\.changes.count) == [2])
    history.restart()
    #expect(try transactions(frame(first, "")).isEmpty)
  }

  @Test mutating func `a gap is to be filled between the moments that it names`() throws {
    let frame = #"{"id":1,"kind":"gap","from":"0123abcd-4","to":"0123abcd-9","next":[]}"#
    #expect(try history.receive(Array(frame.utf8)).isEmpty)
    #expect(history.gap?.from?.sequence == 4)
    #expect(history.gap?.to?.sequence == 9)
    #expect(history.closeGap().isEmpty)
    #expect(history.gap == nil)
    #expect(history.token?.sequence == 9)
  }
}
