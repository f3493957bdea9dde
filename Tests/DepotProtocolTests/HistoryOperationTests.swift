import FoundationEssentials
import Testing

@testable import DepotProtocol

/// The operations about the history on the wire.
@Suite struct HistoryOperationTests {
  private static let token = HistoryToken(store: "3f2b8c01", sequence: 7)

  static let golden: [(Operation, String)] = [
    (.history(HistoryRequest()), #""call":"history","args":{}"#),
    (
      .history(
        HistoryRequest(
          since: .token(token),
          until: token,
          entity: "P",
          identifiers: [1],
          properties: ["a"],
          author: "x",
          limit: 3,
          isDescending: true,
          consumer: "c",
          hasValues: false
        )
      ),
      #""call":"history","args":{"since":"3f2b8c01-7","until":"3f2b8c01-7","entity":"P","ids":[1],"properties":["a"],"author":"x","limit":3,"descending":true,"consumer":"c","values":false}"#
    ),
    (
      .history(HistoryRequest(since: .date(Date(timeIntervalSinceReferenceDate: 0)))),
      #""call":"history","args":{"since":"2001-01-01T00:00:00Z"}"#
    ),
    (
      .deleteHistory(before: .token(token)),
      #""call":"history.delete","args":{"before":"3f2b8c01-7"}"#
    ),
    (.historyStatus, #""call":"history.status","args":{}"#),
    (
      .acknowledgeHistory(HistoryPosition(consumer: "c", token: token)),
      #""call":"history.acknowledge","args":{"consumer":"c","token":"3f2b8c01-7"}"#
    ),
    (.forgetConsumer("c"), #""call":"history.forget","args":{"consumer":"c"}"#),
    (
      .historyRow(HistoryRowRequest(entity: "P", identifier: 1, at: token)),
      #""call":"history.row","args":{"entity":"P","id":1,"at":"3f2b8c01-7"}"#
    ),
    (.undo(UndoRequest()), #""call":"undo","args":{}"#),
    (
      .undo(UndoRequest(.token(token), policy: .overwrite)),
      #""call":"undo","args":{"token":"3f2b8c01-7","policy":"overwrite"}"#
    ),
    (.redo(UndoRequest(.author("x"))), #""call":"redo","args":{"author":"x"}"#),
    (.redo(UndoRequest(.group("g"))), #""call":"redo","args":{"group":"g"}"#),
  ]

  private static func decode(_ text: String) throws -> Operation {
    switch try ClientFrame(Array("{\"id\":1,\(text)}".utf8)) {
    case .call(let call): return call.operation
    case .invalidCall(_, let error): throw error
    default: throw DepotError(.bug, "This is no call.")
    }
  }

  @Test(arguments: golden)
  func `an operation has this form`(operation: Operation, text: String) throws {
    var writer = JSONWriter()
    writer.write(Call(id: 1, operation))
    #expect(String(decoding: writer.bytes, as: UTF8.self) == "{\"id\":1,\(text)}")
    #expect(try Self.decode(text) == operation)
  }

  @Test(arguments: [
    (#""call":"history","args":{"since":"x"}"#, DepotError.Code.usage, "/args/since"),
    (#""call":"history","args":{"until":"2001-01-01T00:00:00Z"}"#, .usage, "/args/until"),
    (#""call":"history","args":{"ids":[1]}"#, .missingMember, "/args"),
    (#""call":"history","args":{"consumer":""}"#, .numberRange, "/args/consumer"),
    (#""call":"history","args":{"limit":-1}"#, .numberRange, "/args/limit"),
    (#""call":"history.delete","args":{}"#, .missingMember, "/args"),
    (#""call":"history.acknowledge","args":{"consumer":"c"}"#, .missingMember, "/args"),
    (#""call":"undo","args":{"author":"a","group":"g"}"#, .usage, "/args"),
    (#""call":"undo","args":{"policy":"x"}"#, .usage, "/args/policy"),
    (#""call":"redo","args":{"token":"7"}"#, .usage, "/args/token"),
  ])
  func `what can't be meant is refused`(text: String, code: DepotError.Code, pointer: String) {
    let error = #expect(throws: DepotError.self) { try Self.decode(text) }
    #expect(error?.code == code)
    #expect(error?.at == pointer)
  }
}
