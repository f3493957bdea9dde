import Testing

@testable import DepotProtocol

/// Saves in parts on the wire.
@Suite struct StageOperationTests {
  private static let deletion = SaveRequest(deletes: [
    SaveRequest.Deletion(entity: "P", identifiers: [1])
  ])

  static let golden: [(Operation, String)] = [
    (
      .stage(StageRequest(save: 7, .part(StageRequest.Part(number: 2, deletion)))),
      #""call":"stage","args":{"save":7,"part":2,"delete":[{"entity":"P","ids":[1]}]}"#
    ),
    (
      .stage(
        StageRequest(
          save: 7,
          .part(StageRequest.Part(number: 2, deletion, continuing: .delete))
        )
      ),
      #""call":"stage","args":{"save":7,"part":2,"delete":[{"entity":"P","ids":[1]}],"continues":"delete"}"#
    ),
    (
      .stage(StageRequest(save: 7, .discard)),
      #""call":"stage","args":{"save":7,"discard":true}"#
    ),
    (
      .save(SaveRequest(staged: SaveRequest.Staged(save: 7, parts: 2), answersInRuns: true)),
      #""call":"save","args":{"staged":{"save":7,"parts":2},"runs":true}"#
    ),
    (.save(SaveRequest()), #""call":"save","args":{}"#),
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
    (#"{"part":1}"#, DepotError.Code.missingMember), (#"{"save":7}"#, .missingMember),
    (#"{"save":0,"part":1}"#, .numberRange), (#"{"save":7,"part":0}"#, .numberRange),
    (#"{"save":7,"part":1,"continues":"rows"}"#, .usage),
    (#"{"save":7,"part":1,"policy":"error"}"#, .unknownMember),
    (#"{"save":7,"discard":true,"part":1}"#, .unknownMember),
  ])
  func `what can't be is refused`(arguments: String, code: DepotError.Code) throws {
    #expect {
      try Self.decode(#""call":"stage","args":\#(arguments)"#)
    } throws: {
      ($0 as? DepotError)?.code == code
    }
  }

  @Test func `a save names the number and how many parts there are`() throws {
    for staged in [#"{"save":7}"#, #"{"parts":1}"#, "7", #"{"save":7,"parts":1,"x":1}"#] {
      #expect(throws: DepotError.self) {
        try Self.decode(#""call":"save","args":{"staged":\#(staged)}"#)
      }
    }
  }
}
