import DepotProtocol
import Foundation
import Testing

@testable import DepotLinux
@testable import DepotServer

@Suite struct ServerLogTests {
  private let fields: [(String, ServerLog.Value)] = [
    ("msg", "slow call"), ("ms", .number(1234)), ("where", .text("name == ? AND a = \"b\"")),
    ("entity", .text("Größe")), ("op", "fetch"), ("empty", ""),
  ]

  @Test func `a line of JSON has numbers as numbers, and its fields in their order`() throws {
    let line = ServerLog.line(.json, fields)
    #expect(
      line
        == #"{"msg":"slow call","ms":1234,"where":"name == ? AND a = \"b\"","entity":"Größe","#
        + #""op":"fetch","empty":""}"# + "\n"
    )
    #expect(try JSONValue(parsing: Array(line.utf8))["ms"] == .int64(1234))
  }

  @Test func `a line of text quotes what isn't a plain word`() {
    #expect(
      ServerLog.line(.text, fields)
        == #"msg="slow call" ms=1234 where="name == ? AND a = \"b\"" entity="Größe" op=fetch empty="""#
        + "\n"
    )
  }
}
